import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Asset } from '../../../contract/updates/release-assets'
import { isEditable, type Release } from '../../../contract/updates/releases'
import { assetLinkMutation } from '../../api/mutations/updates/releases'
import { releaseQuery } from '../../api/queries/updates/releases'
import { formatBytes } from '../../lib/bytes'
import { assetDisplay } from '../../lib/status-display'
import { groupFingerprint } from '../../lib/names'
import { useAllowed } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { notifyFailed } from '../../system/failure/notify-failed'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/text/chip'
import { CopyButton } from '../../ui/text/copy-button'
import { DropZone } from '../../ui/form/drop-zone'
import { IconButton } from '../../ui/icon/icon-button'
import { Callout, EmptyState } from '../../ui/layout/notice'
import * as Table from '../../ui/list/table'
import { DirectoryField } from './directory-field'
import { useAddFiles } from './use-add-files'

const EditAssetDialog = lazyPart(() => import('./edit-asset-dialog').then((part) => part.EditAssetDialog))
const CheckHashDialog = lazyPart(() => import('./check-hash-dialog').then((part) => part.CheckHashDialog))
const RemoveAssetDialog = lazyPart(() => import('./remove-asset-dialog').then((part) => part.RemoveAssetDialog))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId')
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const drop = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', maxW: 'form' })
const wideOnly = css({ hideBelow: 'xl' })
const roomyOnly = css({ hideBelow: 'lg' })

const AssetRow = ({ asset, editable }: { asset: Asset; editable: boolean }) => {
  const { api } = useSystem()
  const target = { releaseId: asset.release_id, assetId: asset.id }
  const [editing, setEditing] = useState(false)
  const [removing, setRemoving] = useState(false)
  const [checking, setChecking] = useState(false)
  const fetchLink = useMutation({ ...assetLinkMutation(api), onError: notifyFailed })
  const { shape, word } = assetDisplay(asset.state)
  return (
    <Table.Row>
      <Table.Cell mono at="lead" title={asset.name}>
        {asset.name}
      </Table.Cell>
      <Table.Cell quiet className={wideOnly}>
        {asset.kind}
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{asset.reject_reason === null ? word : `${word}: ${asset.reject_reason}`}</Status>
      </Table.Cell>
      <Table.Cell mono quiet className={roomyOnly}>
        {asset.sha256 === null ? (
          '–'
        ) : (
          <>
            <span title={groupFingerprint(asset.sha256)}>{groupFingerprint(asset.sha256, 12)}</span>
            <CopyButton value={asset.sha256} label="Copy SHA-256" />
          </>
        )}
      </Table.Cell>
      <Table.Cell mono quiet className={wideOnly}>
        {asset.install_location ?? '–'}
        {asset.install_location !== null && asset.mode !== null && <div>{asset.mode}</div>}
      </Table.Cell>
      <Table.Cell align="end" at="subEnd">
        {formatBytes(asset.size)}
      </Table.Cell>
      <Table.Cell menu align="end" at="end">
        {asset.state === 'ready' && (
          <IconButton
            icon="shieldok"
            align="end"
            label={`Check hash of ${asset.name}`}
            data-analytics-name="Check hash"
            variant="ghost"
            size="small"
            onClick={() => setChecking(true)}
          />
        )}
        {asset.state === 'ready' && (
          <IconButton
            icon="dl"
            align="end"
            label={`Download ${asset.name}`}
            data-analytics-name="Download asset"
            variant="ghost"
            size="small"
            onClick={() => fetchLink.mutate(target, { onSuccess: ({ url }) => window.location.assign(url) })}
          />
        )}
        {editable && (
          <IconButton
            icon="edit"
            align="end"
            label={`Edit ${asset.name}`}
            data-analytics-name="Edit asset"
            variant="ghost"
            size="small"
            onClick={() => setEditing(true)}
          />
        )}
        {editable && (
          <IconButton
            icon="x"
            align="end"
            label={`Remove ${asset.name}`}
            data-analytics-name="Remove asset"
            variant="ghost"
            size="small"
            onClick={() => setRemoving(true)}
          />
        )}
        {editing && (
          <Suspense>
            <EditAssetDialog asset={asset} onClose={() => setEditing(false)} />
          </Suspense>
        )}
        {checking && (
          <Suspense>
            <CheckHashDialog asset={asset} onClose={() => setChecking(false)} />
          </Suspense>
        )}
        {removing && (
          <Suspense>
            <RemoveAssetDialog asset={asset} onClose={() => setRemoving(false)} />
          </Suspense>
        )}
      </Table.Cell>
    </Table.Row>
  )
}

const Drop = ({ release }: { release: Release }) => {
  const addFiles = useAddFiles()
  const [directory, setDirectory] = useState('/opt/app')
  return (
    <div className={drop}>
      {release.type !== 'rootfs' && release.type !== 'bundle' && <DirectoryField value={directory} onChange={setDirectory} />}
      <DropZone
        label="Add files"
        multiple={release.type === 'file'}
        limitText="A file can have up to 3.5 GB."
        onFiles={(files) => void addFiles({ release, files, directory })}
      />
    </div>
  )
}

/** What comes after the last upload; it is done on another tab. */
const NextStep = ({ assets }: { assets: readonly Asset[] }) => {
  const params = route.useParams()
  if (assets.length === 0 || assets.some(({ state }) => state !== 'ready')) return null
  return (
    <Callout kind="info">
      {assets.length === 1 ? 'The file is' : `All ${assets.length} files are`} uploaded and hashed. Next:{' '}
      <Link
        to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status"
        params={params}
        className={link()}
      >
        build the manifest and sign it
      </Link>
      .
    </Callout>
  )
}

/** The files of a release with the hashes that devices verify. Files can be changed only in a draft. */
export default function ReleaseAssetsPage() {
  const { api } = useSystem()
  const { releaseId } = route.useParams()
  const { data: release } = useSuspenseQuery(releaseQuery(api, releaseId))
  const allowed = useAllowed('project:manage_releases')
  const editable = allowed && isEditable(release.state)
  return (
    <div className={stack}>
      {release.assets.length === 0 ? (
        <EmptyState small title="Not Found">
          {editable ? 'Add the files that devices will install.' : undefined}
        </EmptyState>
      ) : (
        <Table.Root caption="Assets" stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th className={cx(css({ w: '96' }), wideOnly)}>Kind</Table.Th>
            <Table.Th className={css({ w: '160' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '200' }), roomyOnly)}>SHA-256</Table.Th>
            <Table.Th className={cx(css({ w: '200' }), wideOnly)}>Install location</Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Size
            </Table.Th>
            <Table.Th className={css({ w: '136' })} aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {release.assets.map((asset) => (
              <AssetRow key={asset.id} asset={asset} editable={editable} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
      {editable && <NextStep assets={release.assets} />}
      {editable && <Drop release={release} />}
    </div>
  )
}
