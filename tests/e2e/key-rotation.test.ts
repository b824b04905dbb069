import { expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { checkIn, enroll, keyList } from '../../contract/device/endpoints'
import { openKeyList } from '../../contract/device/key-list'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf, type PublicKey } from '../../contract/device/public-key'
import { createSigningKey, signingKeys } from '../../contract/fleet/keys'
import { checkInBody, enrollBody } from '../support/devices'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, type Visitor } from './support/hosts'

const { hosts, open } = useConsole()

const field = (page: Page, name: string) => page.getByRole('textbox', { name })
const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const keyFile = (name: string, pem: string) => ({ name, mimeType: 'application/x-pem-file', buffer: Buffer.from(pem) })

/** A project with one signing key, and the page of its rotation. */
const scene = async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const first = await generateSigningKey('ed25519')
  const body = { name: 'release-2026', algorithm: 'ed25519' as const, public_key_pem: pemOf(first.publicKey) }
  await call(hosts().api, createSigningKey, { projectId }, { as, body })
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/access`)
  await page.getByRole('link', { name: 'Key rotation' }).click()
  await heading(page, 'Replace a signing key')
  await page.getByRole('button', { name: 'Replace key' }).click()
  await heading(page, 'Create the new key')
  return { ines, as, projectId, first, page }
}

/** A device that takes key lists as the agent does. */
const createDevice = async ({ token: as }: Visitor, projectId: string, name: string, configured: PublicKey[]) => {
  const facts = { name, auto_accept: true }
  const { body: enrollment } = await call(hosts().api, createEnrollmentToken, { projectId }, { as, body: facts })
  const enrolled = await call(hosts().api, enroll, {}, { as: enrollment.token, body: enrollBody({ name }) })
  const { device_token } = enrolled.body
  let keys = configured
  let counter = 0
  const report = () => {
    const body = checkInBody({ key_list_counter: counter, trusted_keys: keys.map(({ fingerprint }) => fingerprint) })
    return call(hosts().api, checkIn, {}, { as: device_token, body })
  }
  const poll = async () => {
    if ((await report()).body.key_list_available !== true) return
    const answer = await fetch(`${hosts().api}${keyList.path}?counter=${counter}`, {
      headers: { authorization: `Bearer ${device_token}` },
    })
    const opened = await openKeyList(await answer.json(), keys, { projectId, counter })
    if (!opened.ok) throw new Error(opened.message)
    ;({ keys, counter } = opened.list)
    await report()
  }
  return { poll, trusts: () => keys.map(({ fingerprint }) => fingerprint) }
}

const sign = async (page: Page, name: string, pem: string) => {
  await page.getByText('In this browser', { exact: true }).click()
  await page.locator('input[type=file]').setInputFiles(keyFile(name, pem))
  await page.getByRole('button', { name: 'Sign and publish' }).click()
}

it('replaces a key in five steps that another visit continues, and names the devices that lack the list', async () => {
  const { ines, as, projectId, first, page } = await scene()
  const north = await createDevice(ines, projectId, 'gw-north', [first.publicKey])
  const south = await createDevice(ines, projectId, 'gw-south', [first.publicKey])
  await north.poll()
  await south.poll()
  const second = await generateSigningKey('ed25519')
  await page.getByRole('button', { name: 'Add key' }).click()
  await field(page, 'Name').fill('release-2027')
  await field(page, 'Public key').fill(pemOf(second.publicKey))
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()

  await heading(page, 'Publish the key list')
  await page.getByText('Devices that take key list 1 trust exactly release-2027, release-2026.', { exact: false }).waitFor()
  const takers = page.getByRole('list', { name: 'Who takes the list' })
  await takers.getByText('release-2026: 2 of 2 active devices take a list that it signs.').waitFor()
  await takers.getByText('release-2027: no device trusts it yet, so none would take a list that it signs.').waitFor()
  await sign(page, 'release-2026.key.pem', first.privateKeyPem)

  await heading(page, 'Wait for devices')
  await page.getByRole('region', { name: 'Key list 1' }).getByText('0 of 2').waitFor()
  await north.poll()
  // Another visit finds the same step, from the facts of the server.
  await page.setViewportSize({ width: 390, height: 844 })
  await page.reload()
  await heading(page, 'Wait for devices')
  // On a phone the strip of steps shows the current one.
  const steps = page.getByRole('list', { name: 'Steps of the rotation' })
  const current = steps.locator('[aria-current=step]')
  const end = () => current.boundingBox().then((box) => (box ? box.x + box.width : Number.NaN))
  await expect.poll(end).toBeLessThanOrEqual(390)
  const list = page.getByRole('region', { name: 'Key list 1' })
  await list.getByText('1 of 2').waitFor()
  await list.getByText('gw-south').waitFor()
  await list.getByText('At its next check-in').waitFor()
  await expect.poll(() => list.getByText('gw-north').count()).toBe(0)
  await south.poll()
  await page.reload()
  await heading(page, 'Retire or revoke the old key')

  await page.getByRole('button', { name: 'Retire release-2026…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Retire release-2026?' })
  await question.getByText('No release depends on this key alone', { exact: false }).waitFor()
  await question.getByRole('button', { name: 'Retire', exact: true }).click()

  await heading(page, 'Publish the list without it')
  await page
    .getByText('Devices that take key list 2 trust exactly release-2027. They stop trusting release-2026', { exact: false })
    .waitFor()
  await sign(page, 'release-2026.key.pem', first.privateKeyPem)
  await page.getByText('Devices do not accept a key list by this key. Choose the file of a key that they trust').waitFor()
  await page.locator('input[type=file]').setInputFiles(keyFile('release-2027.key.pem', second.privateKeyPem))
  await page.getByRole('button', { name: 'Sign and publish' }).click()

  await heading(page, 'Key list 2')
  await heading(page, 'Replace a signing key')
  await north.poll()
  await south.poll()
  await page.reload()
  await page.getByText('All 2 active devices trust exactly these keys.').waitFor()
  for (const device of [north, south]) expect(device.trusts()).toEqual([second.publicKey.fingerprint])
  const { body } = await call(hosts().api, signingKeys, { projectId }, { as })
  expect(body.signing_keys.map(({ name, state }) => [name, state])).toEqual([
    ['release-2027', 'active'],
    ['release-2026', 'retired'],
  ])
})

it('ends a rotation with the old key kept', async () => {
  const { as, projectId, page } = await scene()
  await page.getByRole('button', { name: 'Keep release-2026…' }).click()
  const question = page.getByRole('alertdialog', { name: 'Keep release-2026?' })
  await question.getByText('The rotation ends, and release-2026 is active again.', { exact: false }).waitFor()
  await question.getByRole('button', { name: 'Keep', exact: true }).click()
  await heading(page, 'Replace a signing key')
  const { body } = await call(hosts().api, signingKeys, { projectId }, { as })
  expect(body.signing_keys.map(({ state }) => state)).toEqual(['active'])
})
