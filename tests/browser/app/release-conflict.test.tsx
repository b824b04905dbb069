import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Asset } from '../../../contract/updates/release-assets'
import type { Release } from '../../../contract/updates/releases'
import { type BundleSummary, bundles } from '../../../contract/updates/secure-boot/bundles'
import { EditAssetDialog } from '../../../src/features/releases/edit-asset-dialog'
import { EditReleaseDialog } from '../../../src/features/releases/edit-release-dialog'
import { openShared } from './shared-object'

const hook = '01K000000000000000000HK001'
const release = {
  id: '01K0000000000000000000REL1',
  project_id: '01K0000000000000000000PRJ1',
  revision: 4,
  name: 'Gateway',
  version: 7,
  display_version: null,
  state: 'draft',
  description: '',
  notes: '',
  hardware_models: ['gw'],
  min_installed_version: null,
  rollback_version: null,
  secure_boot_bundle_id: null,
  allow_downgrade_from: [],
  may_return_to: null,
  reboot: 'never',
  hooks: { pre_install: null, post_install: null, post_reboot: null },
  assets: [{ id: hook, name: 'check.sh', kind: 'hook' }],
} as unknown as Release // The fields that the form reads.

const editRelease = (start = release, listed: readonly Partial<BundleSummary>[] = []) =>
  openShared(start, (shown) => <EditReleaseDialog release={shown} onClose={() => {}} />, {
    merge: (current, { hooks, ...body }: Partial<Release>) => ({ ...current, ...body, hooks: { ...current.hooks, ...hooks } }),
    answers: (endpoint) => (endpoint === bundles ? { artifact_bundles: listed, next_cursor: null } : new Promise(() => {})),
  })
const save = (label = 'Save') => page.getByRole('button', { name: label, exact: true }).click()
const box = (name: string) => page.getByRole('textbox', { name })
const least = box('Minimum installed version')

it('a save of a release form does not undo what another person changed and its page has read again', async () => {
  const { bodies, change, show, stored } = editRelease()
  await box('Release notes').fill('Fixes the pump.')
  change({ min_installed_version: 3, hooks: { ...release.hooks, pre_install: hook } })
  show()
  await save()
  await expect.element(page.getByRole('row', { name: 'Minimum installed version – 3 not changed' })).toBeVisible()
  await expect.element(page.getByRole('row', { name: 'Hook before installation – check.sh not changed' })).toBeVisible()
  expect(bodies).toEqual([])
  await save('Save again')
  await expect.poll(() => bodies).toEqual([{ notes: 'Fixes the pump.' }])
  expect(stored()).toMatchObject({ min_installed_version: 3, hooks: { pre_install: hook }, notes: 'Fixes the pump.' })
})

it('a conflict about a field of a release that both changed can be resolved with the value of the other person', async () => {
  const { bodies, change } = editRelease()
  await least.fill('5')
  change({ min_installed_version: 3 })
  await save()
  await expect.element(page.getByRole('row', { name: 'Minimum installed version – 3 5' })).toBeVisible()
  await save('Discard my changes')
  await expect.element(least).toHaveValue('3')
  await box('Release notes').fill('Fixes the pump.')
  await save()
  await expect.poll(() => bodies).toEqual([{ notes: 'Fixes the pump.' }])
})

it('a hook of a release that is chosen in its form is sent without the other hooks', async () => {
  const { bodies } = editRelease()
  await page.getByRole('combobox', { name: /^Hook after reboot/ }).click()
  await page.getByRole('option', { name: 'check.sh' }).click()
  await save()
  await expect.poll(() => bodies).toEqual([{ hooks: { post_reboot: hook } }])
})

it('a release keeps its secure boot bundle, shown with its state, when other fields are changed', async () => {
  const [own, other] = ['01K0000000000000000000BND1', '01K0000000000000000000BND2']
  const start = { ...release, secure_boot_bundle_id: own }
  const revoked = { id: own, name: 'Fuses', version: 2, state: 'revoked' as const }
  const { bodies } = editRelease(start, [revoked, { id: other, name: 'Spare', version: 1, state: 'ready' }])
  await expect.element(page.getByRole('combobox', { name: /^Secure boot bundle/ })).toHaveTextContent('Fuses (2, revoked)')
  await box('Release notes').fill('Fixes the pump.')
  await save()
  await expect.poll(() => bodies).toEqual([{ notes: 'Fixes the pump.' }])
})

it('a release keeps a secure boot bundle that the list of bundles does not reach when other fields are changed', async () => {
  const start = { ...release, secure_boot_bundle_id: '01K0000000000000000000BND1' }
  const { bodies } = editRelease(start, [{ id: '01K0000000000000000000BND2', name: 'Spare', version: 1, state: 'ready' }])
  await expect.element(page.getByRole('combobox', { name: /^Secure boot bundle/ })).toHaveTextContent('Current bundle')
  await box('Release notes').fill('Fixes the pump.')
  await save()
  await expect.poll(() => bodies).toEqual([{ notes: 'Fixes the pump.' }])
})

it('a save of an asset form does not undo what another person changed and its page has read again', async () => {
  const asset = {
    id: hook,
    release_id: release.id,
    revision: 2,
    name: 'check.sh',
    kind: 'hook',
    install_location: null,
    mode: null,
  } as unknown as Asset // The fields that the form reads.
  const { bodies, change, show } = openShared(asset, (shown) => <EditAssetDialog asset={shown} onClose={() => {}} />)
  await box('Install location').fill('/usr/bin/check')
  change({ mode: '0755' })
  show()
  await save()
  await expect.element(page.getByRole('row', { name: 'Mode – 0755 not changed' })).toBeVisible()
  expect(bodies).toEqual([])
  await save('Save again')
  await expect.poll(() => bodies).toEqual([{ install_location: '/usr/bin/check' }])
})
