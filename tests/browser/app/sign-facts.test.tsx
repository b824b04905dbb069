import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import { toBase64 } from '../../../contract/device/bytes'
import { type Manifest, manifestBytes } from '../../../contract/device/manifest'
import type { Release } from '../../../contract/updates/releases'
import { SignStep } from '../../../src/features/releases/sign-step'
import { formatDate } from '../../../src/lib/dates'
import { showReleasePart } from './release-part'

const id = (n: number) => `01K000000000000000000${String(n).padStart(5, '0')}`
const hash = (n: number) => n.toString(16).padStart(64, '0')

type File = { name: string; hash: number; mode?: string }
const releaseOf = (version: number, files: readonly File[], facts: Partial<Release> = {}): Release =>
  ({
    id: id(version),
    project_id: id(90),
    revision: 1,
    name: 'Gateway',
    version,
    display_version: `2.${version}.0`,
    type: 'file',
    hardware_models: ['gw-imx8m'],
    min_installed_version: null,
    rollback_version: null,
    allow_downgrade_from: [],
    may_return_to: [version - 1],
    reboot: 'never',
    hooks: { pre_install: null, post_install: null, post_reboot: null },
    signatures: [],
    state: 'released',
    assets: files.map(({ name, hash: n, mode = '0644' }, index) => ({
      id: id(index),
      name,
      kind: 'payload',
      size: 1500,
      sha256: hash(n),
      install_location: `/opt/app/${name}`,
      mode,
    })),
    ...facts,
  }) as unknown as Release

const expires = '2027-03-01T10:30:00+00:00'
const manifestOf = ({ assets, ...release }: Release): string => {
  const manifest: Manifest = {
    schema: 1,
    id: release.id,
    project_id: release.project_id,
    name: release.name,
    version: release.version,
    display_version: release.display_version,
    type: release.type,
    hardware_models: release.hardware_models,
    min_installed_version: null,
    rollback_version: null,
    created_at: '2026-06-01T12:00:00+00:00',
    expires_at: expires,
    reboot: release.reboot,
    hooks: { pre_install: null, post_install: null, post_reboot: null },
    allow_downgrade_from: [],
    may_return_to: release.may_return_to ?? [],
    files: assets.map(({ id: assetId, name, kind, size, sha256, install_location, mode }) => ({
      name,
      kind,
      size,
      sha256: sha256 ?? '',
      install_location,
      mode,
      path: `/device/v1/assets/${assetId}`,
    })),
  }
  return toBase64(manifestBytes(manifest))
}
const show = (release: Release, earlier: readonly Release[], payload = manifestOf(release)) =>
  showReleasePart({ release, keys: [], sha256: hash(1), payload, earlier }, SignStep)

it('beside the form that signs stand the files, models, expiry and returns of the bytes to sign, and the difference to the last release', async () => {
  const before = releaseOf(5, [
    { name: 'app', hash: 1 },
    { name: 'same.conf', hash: 2 },
    { name: 'old.bin', hash: 3 },
  ])
  const release = releaseOf(
    6,
    [
      { name: 'app', hash: 0xabc, mode: '0755' },
      { name: 'same.conf', hash: 2 },
      { name: 'new.bin', hash: 4 },
    ],
    { state: 'awaiting_signature', reboot: 'after_install' },
  )
  const others = [
    releaseOf(8, []),
    { ...releaseOf(4, []), state: 'draft' } as Release,
    releaseOf(3, [], { hardware_models: ['other'] }),
  ]
  show(release, [...others, before])
  const signed = page.getByRole('region', { name: 'What is signed' })
  await expect.element(signed.getByText('2.6.0 (version number 6)')).toBeVisible()
  await expect.element(signed.getByText('gw-imx8m')).toBeVisible()
  await expect.element(signed.getByText(formatDate(new Date(expires)))).toBeVisible()
  await expect.element(signed.getByText('May return to', { exact: true })).toBeVisible()
  await expect.element(signed.getByText('3 files, 4.39 KB')).toBeVisible()
  await expect.element(signed.getByText('mode 0755')).toBeVisible()
  await expect.element(signed.getByRole('button', { name: 'Copy SHA-256 of app' })).toBeVisible()
  await expect.element(signed.getByText('Since 2.5.0: 1 added, 1 changed, 1 removed')).toBeVisible()
  const changes = signed
    .getByRole('listitem')
    .elements()
    .map((item) => item.textContent)
  expect(changes.slice(3)).toEqual([
    'Changed/opt/app/app',
    'Added/opt/app/new.bin',
    'Removed/opt/app/old.bin',
    'May return to: 4 → 5',
    'Reboot: never → after install',
  ])
  await expect.element(page.getByRole('button', { name: 'Add signature' })).toBeVisible()
})

it('many files to sign are folded, and open by a click', async () => {
  const files = Array.from({ length: 64 }, (_, n) => ({ name: `${'part-of-a-long-name-'.repeat(8)}${n}.bin`, hash: n + 10 }))
  show(releaseOf(6, files, { state: 'awaiting_signature' }), [])
  const signed = page.getByRole('region', { name: 'What is signed' })
  await expect.element(signed.getByText('The first release of this type for these models', { exact: false })).toBeVisible()
  const last = signed.getByRole('button', { name: '63.bin', exact: false })
  await expect.element(last).not.toBeInTheDocument()
  await signed.getByText('64 files, 93.75 KB').click()
  await expect.element(last).toBeVisible()
  expect(document.documentElement.scrollWidth).toBe(document.documentElement.clientWidth)
})

it('a manifest that cannot be read is not to be signed', async () => {
  show(releaseOf(6, []), [], 'e30=')
  await expect.element(page.getByText('Do not sign it', { exact: false })).toBeVisible()
})
