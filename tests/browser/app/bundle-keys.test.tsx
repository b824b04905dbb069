import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { SigningKey } from '../../../contract/fleet/keys'
import type { SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import { EditBundleForm } from '../../../src/features/secure-boot/edit-bundle-form'
import { openShared } from './shared-object'

const ids = { new: '01K0000000000000000000KEY1', old: '01K0000000000000000000KEY2', other: '01K0000000000000000000KEY3' }
const signingKey = (name: keyof typeof ids, state: SigningKey['state']) =>
  ({ id: ids[name], name, purpose: 'secure_boot', state }) as SigningKey // The fields that the form reads.

const bundle = {
  id: '01K0000000000000000BUNDLE1',
  project_id: 'p1',
  revision: 4,
  name: 'Gateway boot',
  version: 3,
  platform: 'mcuboot',
  state: 'draft',
  hardware_models: ['gw'],
  description: '',
  rollback_version: 2,
  keys: [{ slot: 0, key_id: ids.old, public_key_pem: 'pem', revoked: false }],
  key_hash: null,
  fuse_config: { words: [], close_step: null, debug_lock: 'open' },
} as unknown as SecureBootBundle // The fields that the form reads.

const edit = (signingKeys: SigningKey[]) =>
  openShared(bundle, (shown) => <EditBundleForm bundle={shown} signingKeys={signingKeys} close={() => {}} cancel={() => {}} />)
const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
const addSecondKey = async () => {
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByRole('group', { name: 'Key 2' }).getByRole('radio', { name: 'Public key' }).click({ force: true })
  await page
    .getByRole('textbox', { name: 'Public key' })
    .fill('-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----')
}

it('a bundle keeps its revoked signing key, shown as revoked, when other fields are changed', async () => {
  const { bodies } = edit([signingKey('new', 'active'), signingKey('old', 'revoked'), signingKey('other', 'revoked')])
  const key = page.getByRole('combobox', { name: /^Signing key/ })
  await expect.element(key).toHaveTextContent('old (revoked)')
  await key.click()
  await expect
    .poll(() =>
      page
        .getByRole('option')
        .elements()
        .map((one) => one.textContent),
    )
    .toEqual(['new', 'old (revoked)'])
  await page.getByRole('option', { name: 'old (revoked)' }).click()
  await addSecondKey()
  await save()
  await expect.poll(() => bodies).toMatchObject([{ keys: [{ slot: 0, key_id: ids.old }, { slot: 1 }] }])
})

it('a bundle whose only signing key was revoked keeps it as a signing key', async () => {
  const { bodies } = edit([signingKey('old', 'revoked')])
  await expect.element(page.getByRole('combobox', { name: /^Signing key/ })).toHaveTextContent('old (revoked)')
  await page.getByRole('textbox', { name: 'Rollback version' }).fill('5')
  await save()
  await expect.poll(() => bodies).toEqual([{ rollback_version: 5 }])
})
