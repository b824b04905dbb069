import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { createSigningKey } from '../../contract/fleet/keys'
import { bundle, createBundle } from '../../contract/updates/secure-boot/bundles'
import { makeMcubootFiles } from './support/boot-images'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()
const files = makeMcubootFiles()
const bytes = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

it('§2: revoking a signing key names the bundle, whose plan has no command and no script from then on', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const pem = String(generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({ type: 'spki', format: 'pem' }))
  const facts = { name: 'boot-2026', algorithm: 'rsa-3072' as const, public_key_pem: pem }
  const { body: key } = await call(hosts().api, createSigningKey, { projectId }, { as, body: facts })
  const body = {
    name: 'Sensor boot',
    version: 1,
    platform: 'mcuboot' as const,
    hardware_models: ['gw-imx8m'],
    key_hash: files.keyHash,
    keys: [
      { slot: 0, public_key_pem: files.publicKey },
      { slot: 1, key_id: key.id },
    ],
  }
  const { body: made } = await call(hosts().api, createBundle, { projectId }, { as, body })
  const page = await (await open(ines)).newPage()
  const base = `${hosts().console}/organizations/none/projects/${projectId}`
  const show = () => page.goto(`${base}/secure-boot/list/${made.id}`)
  await show()
  await page
    .getByLabel('Add parts')
    .setInputFiles([bytes('mcuboot.bin', files.bootLoader), bytes('app.signed.bin', files.application)])
  await page.getByRole('button', { name: 'Upload 2 parts' }).click()
  await page.getByRole('region', { name: 'Required parts' }).getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'close file upload progress' }).click()
  await page.getByRole('button', { name: 'Check bundle' }).click()
  await page.locator('header').getByText('Ready', { exact: true }).waitFor()
  const steps = page.getByRole('list', { name: 'Steps of the fuse plan' }).getByRole('listitem')
  await expect.poll(() => steps.count()).toBeGreaterThan(0)

  await page.goto(`${base}/access`)
  await page.getByRole('button', { name: 'Actions of boot-2026' }).click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  const question = page.getByRole('alertdialog')
  await question.getByText('Fuse plan of Sensor boot v1').waitFor()
  await question.getByRole('textbox', { name: 'Reason' }).fill('Stolen laptop')
  await question.getByRole('textbox', { name: 'Type boot-2026 to confirm' }).fill('boot-2026')
  await question.getByRole('button', { name: 'Revoke key' }).click()
  await question.waitFor({ state: 'detached' })

  await show()
  const refusal = 'The signing key of slot 1 was revoked after the bundle was checked: check it again'
  await page.getByText(refusal, { exact: true }).waitFor()
  await page.getByText('Signing key revoked', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Check bundle' }).click()
  await page.getByText('Revoked by the plan', { exact: true }).waitFor()
  const after = await call(hosts().api, bundle, { bundleId: made.id }, { as })
  expect(after.body.keys).toMatchObject([{ revoked: false }, { revoked: true, revoked_since: false }])
})
