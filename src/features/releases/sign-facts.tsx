import { useInfiniteQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { fromBase64 } from '../../../contract/device/bytes'
import { type Manifest, type ManifestFile, readManifest } from '../../../contract/device/manifest'
import { listLimit } from '../../../contract/core/limits'
import { compareReleases, type FileDifference } from '../../../contract/updates/release-comparison'
import { isDeployable, type Release } from '../../../contract/updates/releases'
import { releasesQuery } from '../../api/queries/updates/releases'
import { formatBytes } from '../../lib/bytes'
import { groupFingerprint } from '../../lib/names'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure/failure-box'
import { useSystem } from '../../system/system'
import { type Fact, Pairs } from '../../ui/layout/facts'
import { Callout } from '../../ui/layout/notice'
import { PanelSkeletons } from '../../ui/layout/panel'
import type { ShapeName } from '../../ui/layout/shape'
import { Status } from '../../ui/text/chip'
import { CopyButton } from '../../ui/text/copy-button'
import { DateTime } from '../../ui/text/time'
import { hooks, reboots } from './release-form'

const stack = css({ display: 'grid', gap: '12', gridTemplateColumns: 'minmax(0, 1fr)', alignContent: 'start' })
const summary = css({ textStyle: 'strong', cursor: 'pointer' })
const rows = css({ display: 'grid', gap: '8', gridTemplateColumns: 'minmax(0, 1fr)', mt: '8' })
const path = css({ textStyle: 'mono', overflowWrap: 'anywhere' })
const facts = css({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8', textStyle: 'small', color: 'muted' })
const anywhere = css({ overflowWrap: 'anywhere' })
const note = css({ textStyle: 'small', color: 'muted', overflowWrap: 'anywhere' })

/** A longer list is folded, so that the button stays in sight. */
const shownRows = 8

const changes: Record<Exclude<FileDifference['change'], 'same'>, { shape: ShapeName; word: string }> = {
  added: { shape: 'success', word: 'Added' },
  changed: { shape: 'warning', word: 'Changed' },
  removed: { shape: 'error', word: 'Removed' },
}
const changeKinds = ['added', 'changed', 'removed'] as const

type Named = Pick<Manifest, 'version' | 'display_version'>
const labelOf = ({ version, display_version: shown }: Named) => shown ?? `v${version}`
const versionText = ({ version, display_version: shown }: Named) =>
  shown === null ? String(version) : `${shown} (version number ${version})`

const hookName = ({ files }: Manifest, hash: string) =>
  files.find(({ sha256, kind }) => kind === 'hook' && sha256 === hash)?.name ?? groupFingerprint(hash, 12)

const factsOf = (manifest: Manifest): Fact[] => [
  { label: 'Version', value: versionText(manifest) },
  { label: 'Hardware models', value: manifest.hardware_models.join(', ') },
  { label: 'Valid until', value: <DateTime value={manifest.expires_at} /> },
  { label: 'May return to', value: manifest.may_return_to?.length ? manifest.may_return_to.join(', ') : 'No older version' },
  ...(manifest.allow_downgrade_from.length > 0
    ? [{ label: 'May replace newer versions', value: manifest.allow_downgrade_from.join(', ') }]
    : []),
  ...(manifest.min_installed_version === null
    ? []
    : [{ label: 'Minimum installed version', value: String(manifest.min_installed_version) }]),
  ...(manifest.rollback_version === null ? [] : [{ label: 'Rollback version', value: String(manifest.rollback_version) }]),
  { label: 'Reboot', value: reboots[manifest.reboot] },
  ...hooks.flatMap(([name, label]) => {
    const hash = manifest.hooks[name]
    return hash === null ? [] : [{ label, value: hookName(manifest, hash) }]
  }),
]

const FileFacts = ({ file }: { file: ManifestFile }) => (
  <li>
    <div className={path}>{file.install_location ?? file.name}</div>
    <div className={facts}>
      {file.kind !== 'payload' && <span>{file.kind}</span>}
      <span>{formatBytes(file.size)}</span>
      {file.mode !== null && <span>mode {file.mode}</span>}
      <span>
        <code title={groupFingerprint(file.sha256)}>{groupFingerprint(file.sha256, 12)}</code>
        <CopyButton value={file.sha256} label={`Copy SHA-256 of ${file.name}`} />
      </span>
    </div>
  </li>
)

const Files = ({ files }: { files: readonly ManifestFile[] }) => (
  <details open={files.length <= shownRows}>
    <summary className={summary}>
      {pluralize(files.length, 'file')}, {formatBytes(files.reduce((sum, { size }) => sum + size, 0))}
    </summary>
    <ul className={rows}>
      {files.map((file) => (
        <FileFacts key={file.path} file={file} />
      ))}
    </ul>
  </details>
)

/** The page shows these beside it. */
const uncompared = new Set(['Version', 'Display version', 'Signed with'])

const Differences = ({ before, after }: { before: Release; after: Release }) => {
  const compared = compareReleases(before, after)
  const files = compared.files.filter(({ change }) => change !== 'same')
  const fields = compared.fields.filter(({ field }) => !uncompared.has(field))
  const counts = changeKinds.flatMap((kind) => {
    const count = files.filter(({ change }) => change === kind).length
    return count === 0 ? [] : [`${count} ${changes[kind].word.toLowerCase()}`]
  })
  const total = files.length + fields.length
  const what = counts.length === 0 ? 'no file differs' : counts.join(', ')
  const title = `Since ${labelOf(before)}: ${what}`
  if (total === 0) return <p className={note}>{title}.</p>
  return (
    <details open={total <= shownRows}>
      <summary className={summary}>
        <span className={anywhere}>{title}</span>
      </summary>
      <ul className={rows}>
        {files.map(({ path: name, change }) =>
          change === 'same' ? null : (
            <li key={name} className={facts}>
              <Status shape={changes[change].shape}>{changes[change].word}</Status>
              <span className={path}>{name}</span>
            </li>
          ),
        )}
        {fields.map(({ field, before: old, after: fresh }) => (
          <li key={field} className={note}>
            {field}: {old} → {fresh}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** Against the newest older release that devices of all these models can have been given. */
const SinceLast = ({ manifest, release }: { manifest: Manifest; release: Release }) => {
  const { api } = useSystem()
  const { type, hardware_models: models } = manifest
  const asked = { type, hardware_model: models[0], limit: listLimit.max }
  const { data, error, refetch } = useInfiniteQuery(releasesQuery(api, release.project_id, asked))
  if (error && !data) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (!data) return <PanelSkeletons rows={1} />
  const before = data.pages
    .flatMap(({ releases }) => releases)
    .find(
      (one) =>
        one.version < manifest.version && isDeployable(one.state) && models.every((model) => one.hardware_models.includes(model)),
    )
  if (!before) return <p className={note}>The first release of this type for these models: there is none to compare it with.</p>
  return <Differences before={before} after={release} />
}

/** What is signed: read from the bytes to sign, so that it is what devices will get. */
export const SignFacts = ({ release, payload }: { release: Release; payload: string }) => {
  const read = readManifest(fromBase64(payload) ?? new Uint8Array())
  if ('wrong' in read)
    return <Callout kind="error">This page cannot read the manifest. Do not sign it: build the manifest again.</Callout>
  const { manifest } = read
  return (
    <section className={stack} aria-label="What is signed">
      <Pairs wide facts={factsOf(manifest)} />
      <Files files={manifest.files} />
      <SinceLast manifest={manifest} release={release} />
    </section>
  )
}
