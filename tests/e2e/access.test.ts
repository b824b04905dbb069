import { expect, it } from 'vitest'
import { createEnrollmentToken, enrollmentTokens } from '../../contract/fleet/enrollment-tokens'
import { accessTokens, createAccessToken } from '../../contract/accounts/access-tokens'
import { checkIn, enroll } from '../../contract/device/endpoints'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createDevice, devices } from '../../contract/fleet/devices'
import { signingKeys } from '../../contract/fleet/keys'
import { members, removeMember, updateMember } from '../../contract/accounts/members'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { release } from '../../contract/updates/releases'
import { rollout } from '../../contract/updates/rollouts'
import { createTag } from '../../contract/fleet/tags'
import { deviceCertificate, firstAuthority } from '../support/ddi/authorities'
import { checkInBody, enrollBody } from '../support/devices'
import { openFleet } from './every-route/fleet'
import { artifacts } from './support/artifacts'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

const openAccess = async (visitor: Visitor, projectId: string, organizationId = 'none') => {
  const page = await (await open(visitor)).newPage()
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects/${projectId}/access`)
  await page.getByRole('heading', { name: 'Access', exact: true }).waitFor()
  return page
}
const choose = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `Actions of ${name}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const answer = async (page: Page, title: string, button: string) => {
  const question = page.getByRole('alertdialog', { name: title, exact: true })
  await question.getByRole('button', { name: button, exact: true }).click()
  await question.waitFor({ state: 'detached' })
}
const field = (page: Page, name: string) => page.getByRole('textbox', { name })

it('makes an enrollment token within limits, shows it once, and revokes it after saying what stops', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  await call(hosts().api, createTag, { projectId }, { as, body: { name: 'line-1', colour: 'sky' } })
  const page = await openAccess(ines, projectId)
  await page.getByRole('button', { name: 'Add token' }).click()
  await field(page, 'Name').fill('Line 1')
  await field(page, 'Devices at most').fill('2')
  await page.getByRole('combobox', { name: 'Hardware model' }).fill('gw-imx8m')
  await page.getByText('30 days', { exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add token' }).click()
  await page.getByText('Admits 2 new devices until').waitFor()
  const shown = (await page.getByLabel('Part of device.json').textContent()) ?? ''
  const [token = ''] = /enr_\w+/.exec(shown) ?? []
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(token)
  const [made] = (await call(hosts().api, enrollmentTokens, { projectId }, { as })).body.enrollment_tokens
  expect(made).toMatchObject({ name: 'Line 1', kind: 'group', max_uses: 2, hardware_model: 'gw-imx8m', auto_accept: true })
  const days = (new Date(made?.expires_at ?? '').getTime() - Date.now()) / 86_400_000
  expect(Math.round(days)).toBe(30)

  // Two devices enroll, a third and another model do not.
  const enrolled = (hardware_model = 'gw-imx8m') =>
    statusOf(hosts().api, enroll, {}, { as: token, body: enrollBody({ hardware_model }) })
  expect(await enrolled('cam')).toBe(422)
  const { body: first } = await call(hosts().api, enroll, {}, { as: token, body: enrollBody({ hardware_model: 'gw-imx8m' }) })
  await page.getByRole('region', { name: 'Enrollment tokens' }).getByRole('button', { name: 'Refresh' }).click()
  await page.getByText('1 of 2').waitFor()

  await choose(page, 'Line 1', 'Revoke…')
  await page.getByText('The device that enrolled with it keeps its own token.', { exact: false }).waitFor()
  await answer(page, 'Revoke Line 1?', 'Cancel')
  expect(await enrolled()).toBe(201)
  expect(await enrolled()).toBe(403)
  await choose(page, 'Line 1', 'Revoke…')
  await answer(page, 'Revoke Line 1?', 'Revoke')
  await page.getByText('Revoked', { exact: true }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Actions of Line 1' }).count()).toBe(0)
  expect(await enrolled()).toBe(403)
  expect(await statusOf(hosts().api, checkIn, {}, { as: first.device_token, body: checkInBody() })).toBe(200)
})

it('revokes an enrollment token although the devices that are refused then could not be loaded', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  await call(hosts().api, createEnrollmentToken, { projectId }, { as, body: { name: 'Line 1' } })
  const page = await openAccess(ines, projectId)
  await page.route('**/enrollment_tokens/*/revocation', (route) =>
    route.fulfill({ status: 500, headers: { 'access-control-allow-origin': '*' } }),
  )
  await choose(page, 'Line 1', 'Revoke…')
  await page
    .getByText('Which devices authenticate with it, and are refused from now on, could not be loaded.', { exact: false })
    .waitFor()
  await answer(page, 'Revoke Line 1?', 'Revoke')
  await page.getByText('Revoked', { exact: true }).waitFor()
})

it('makes an access token for a program, shows it once, rotates it, and revokes it after saying what stops', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await openAccess(ines, projectId)
  const tokens = page.getByRole('region', { name: 'Access tokens' })
  const dialog = page.getByRole('dialog')
  const status = (as: string) => statusOf(hosts().api, devices, { projectId }, { as })
  const shown = async () => (await dialog.getByLabel('Access token', { exact: true }).textContent())?.trim() ?? ''
  const close = async () => {
    await dialog.getByRole('button', { name: 'Close', exact: true }).click()
    await dialog.waitFor({ state: 'detached' })
  }

  await page.getByRole('button', { name: 'Add access token' }).click()
  await field(page, 'Name').fill('Build server')
  await field(page, 'Allowed addresses').fill('127.0.0.1\nlocalhost')
  await dialog.getByRole('button', { name: 'Add access token' }).click()
  await page.getByText('localhost is not an address', { exact: false }).first().waitFor()
  await field(page, 'Allowed addresses').fill('127.0.0.1, ::1')
  await dialog.getByRole('checkbox', { name: 'device:view' }).check()
  await dialog.getByText('30 days', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Add access token' }).click()
  await page.getByText('May use 3 permissions in this project until').waitFor()
  const first = await shown()
  await close()
  expect(await page.content()).not.toContain(first)
  await tokens.getByText('3 permissions', { exact: true }).waitFor()
  await expect.poll(() => tokens.getByRole('row', { name: 'Build server' }).textContent()).toContain('never')
  expect(await status(first)).toBe(200)
  expect(await statusOf(hosts().api, createTag, { projectId }, { as: first, body: { name: 'a', colour: 'sky' } })).toBe(403)
  await tokens.getByRole('button', { name: 'Refresh' }).click()
  await tokens.getByText('never', { exact: true }).waitFor({ state: 'detached' })

  await choose(page, 'Build server', 'Rotate…')
  await dialog.getByText('Not at all', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByText('Valid until').waitFor()
  const second = await shown()
  await close()
  expect([await status(first), await status(second)]).toEqual([401, 200])
  await tokens.getByText('Expired', { exact: true }).waitFor()

  await choose(page, 'Build server', 'Revoke…')
  await page.getByText('Programs that use it are refused from then on.', { exact: false }).waitFor()
  await answer(page, 'Revoke Build server?', 'Cancel')
  expect(await status(second)).toBe(200)
  await choose(page, 'Build server', 'Revoke…')
  await answer(page, 'Revoke Build server?', 'Revoke')
  await tokens.getByText('Revoked', { exact: true }).waitFor()
  expect(await status(second)).toBe(401)
  await expect.poll(() => page.getByRole('button', { name: 'Actions of Build server' }).count()).toBe(0)
})

it('says of an access token what its maker no longer holds', async () => {
  const owner = await subscriber(hosts())
  const as = owner.token
  const { api } = hosts()
  const organizationId = (await call(api, createOrganization, {}, { as, body: { name: 'Thicket' } })).body.public_id
  const made = await call(api, createOrganizationProject, { organizationId }, { as, body: { name: 'Gateways' } })
  const projectId = made.body.id
  const maker = await newUser(hosts())
  await join(hosts(), organizationId, maker, 'developer')
  const permissions = ['project:view' as const, 'project:manage_devices' as const]
  const body = { name: 'Build server', permissions, lifetime_days: 7 as const }
  await call(api, createAccessToken, { projectId }, { as: maker.token, body })
  const page = await openAccess(owner, projectId, organizationId)
  const tokens = page.getByRole('region', { name: 'Access tokens' })
  await tokens.getByText('2 permissions', { exact: true }).waitFor()

  const listed = (await call(api, members, { organizationId }, { as })).body.members
  const memberId = listed.find(({ user }) => user.email === maker.email)?.user.id ?? ''
  await call(api, updateMember, { organizationId, memberId }, { as, body: { base_role: 'viewer' } })
  await tokens.getByRole('button', { name: 'Refresh' }).click()
  await tokens.getByText('1 of 2 permissions: its maker no longer holds the others', { exact: true }).waitFor()
  await call(api, removeMember, { organizationId, memberId }, { as })
  await tokens.getByRole('button', { name: 'Refresh' }).click()
  await tokens.getByText('0 of 2 permissions: its maker no longer holds any', { exact: true }).waitFor()
})

it('lists an authority of client certificates, says what its proxy and clients need, and revokes it', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const page = await openAccess(ines, projectId)
  await page.getByRole('button', { name: 'Add authority' }).click()
  await field(page, 'Name').fill('Factory')
  await field(page, 'Certificate of the authority').fill(deviceCertificate)
  await page.getByRole('combobox', { name: 'Hardware model' }).fill('gw-imx8m')
  const submit = page.getByRole('dialog').getByRole('button', { name: 'Add authority' })
  await submit.click()
  await page.getByText('not one that it has issued', { exact: false }).first().waitFor()
  await field(page, 'Certificate of the authority').fill(firstAuthority.pem)
  await submit.click()
  const authority = firstAuthority.hash.replaceAll(':', '').toLowerCase()
  await expect.poll(() => page.getByLabel('Header of the proxy').textContent()).toBe(`X-Authority: ${authority}`)
  await expect.poll(() => page.getByLabel('Tenant in the configuration of the clients').textContent()).toBe(projectId)
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByText(`SHA-256 ${authority.slice(0, 8)}…`).waitFor()

  await choose(page, 'Factory', 'Revoke…')
  await page.getByText('also those that have registered', { exact: false }).waitFor()
  await answer(page, 'Revoke Factory?', 'Revoke')
  await page.getByText('Revoked', { exact: true }).waitFor()
  const [listed] = (await call(hosts().api, enrollmentTokens, { projectId }, { as })).body.enrollment_tokens
  expect(listed).toMatchObject({ name: 'Factory', authority, state: 'revoked' })
})

it('revokes a signing key only after it named the release and the rollout that stop', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const made = await artifacts(hosts(), ines, projectId)
  const fleet = await openFleet(hosts(), ines, projectId, made.fingerprint)
  await fleet.add('gw-0417')
  await call(hosts().api, createDevice, { projectId }, { as, body: { name: 'gw-0418', hardware_model: 'gw-imx8m' } })
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(100, 'a') })
  const rolloutId = await fleet.rollOut(releaseId)
  const page = await openAccess(ines, projectId)

  // Which devices lack the key.
  await page.getByRole('button', { name: 'Trusted by 1 of 2: devices without release-2026' }).click()
  const lacking = page.getByRole('dialog', { name: 'Devices without release-2026' })
  await lacking.getByRole('link', { name: 'gw-0418' }).waitFor()
  await expect.poll(() => lacking.getByRole('link').allInnerTexts()).toEqual(['gw-0418'])
  await lacking.getByRole('button', { name: 'Close' }).last().click()
  await lacking.waitFor({ state: 'detached' })
  await expect.poll(() => page.getByLabel('Verification keys for device.json').textContent()).toContain(made.fingerprint)

  await choose(page, 'release-2026', 'Revoke…')
  const question = page.getByRole('alertdialog', { name: 'Revoke release-2026?' })
  await question.getByText('1 rollout will be cancelled', { exact: false }).waitFor()
  const named = await question.getByRole('list', { name: 'What stops' }).getByRole('listitem').allInnerTexts()
  expect(named.map((text) => text.split('\n')[0])).toEqual(['Rollout Gateway #1', 'Release Gateway 20500'])
  const confirm = question.getByRole('button', { name: 'Revoke key' })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await question.getByRole('textbox', { name: 'Reason' }).fill('Stolen laptop')
  await question.getByRole('textbox', { name: 'Type release-2026 to confirm' }).fill('release-2026')
  await confirm.click()
  await question.waitFor({ state: 'detached' })
  await page.getByText('Revoked', { exact: true }).waitFor()
  expect((await call(hosts().api, rollout, { rolloutId }, { as })).body.state).toMatch(/^cancell/)
  expect((await call(hosts().api, release, { releaseId }, { as })).body.state_reason).toContain('Stolen laptop')
  await expect.poll(() => page.getByLabel('Verification keys for device.json').count()).toBe(0)
})

it('registers RSA and P-256 keys with purpose and expiry, and retires a key after a question', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const page = await openAccess(ines, projectId)
  const rsa = await crypto.subtle.generateKey(
    { name: 'RSASSA-PKCS1-v1_5', modulusLength: 3072, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  )
  const spki = Buffer.from(await crypto.subtle.exportKey('spki', rsa.publicKey)).toString('base64')
  const rsaPem = `-----BEGIN PUBLIC KEY-----\n${spki.replace(/.{1,64}/g, '$&\n')}-----END PUBLIC KEY-----\n`
  const p256 = pemOf((await generateSigningKey('ecdsa-p256')).publicKey)
  const add = async (name: string, algorithm: string, pem: string, expires?: string) => {
    await page.getByRole('button', { name: 'Add key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a signing key' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await dialog.getByText(algorithm, { exact: true }).click()
    await dialog.getByRole('textbox', { name: 'Public key' }).fill(pem)
    if (expires !== undefined) await dialog.getByLabel('Expires').fill(expires)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
  }
  await add('fuses', 'RSA 3072', rsaPem)
  await add('release-2027', 'ECDSA P-256', p256, '2036-01-01T12:00')
  const keys = (await call(hosts().api, signingKeys, { projectId }, { as })).body.signing_keys
  expect(keys.map(({ name, algorithm, purpose }) => [name, algorithm, purpose])).toEqual([
    ['release-2027', 'ecdsa-p256', 'release'],
    ['fuses', 'rsa-3072', 'secure_boot'],
  ])
  await page.getByText('01/01/2036 12:00 pm').waitFor()
  await page.getByRole('row', { name: 'fuses' }).getByText('Secure boot').waitFor()

  await choose(page, 'release-2027', 'Retire…')
  await answer(page, 'Retire release-2027?', 'Retire')
  await page.getByText('Retired', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Actions of release-2027' }).click()
  await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Revoke…'])
})

it('an operator sees the keys and tokens, and who may change them', async () => {
  const owner = await subscriber(hosts())
  const { body: made } = await call(hosts().api, createOrganization, {}, { as: owner.token, body: { name: 'Field' } })
  const organizationId = made.public_id
  const facts = { name: 'Gateways' }
  const { body: project } = await call(
    hosts().api,
    createOrganizationProject,
    { organizationId },
    { as: owner.token, body: facts },
  )
  await artifacts(hosts(), owner, project.id)
  const operator = await newUser(hosts())
  await join(hosts(), organizationId, operator, 'operator')
  const page = await openAccess(operator, project.id, organizationId)
  for (const name of ['Add key', 'Add token', 'Actions of release-2026']) {
    const button = page.getByRole('button', { name })
    await expect.poll(() => button.getAttribute('aria-disabled')).toBe('true')
    await button.focus()
    await page
      .getByText('Needs “manage access”. Roles that have it: owner, admin, developer.')
      .filter({ visible: true })
      .first()
      .waitFor()
    await button.blur()
  }
})

it('lists what expires soon on Monitor, Access and the organization, and each action renews it or is refused', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { api, console: address } = hosts()
  const organizationId = (await call(api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })).body.public_id
  const made = await call(api, createOrganizationProject, { organizationId }, { as, body: { name: 'Gateways' } })
  const projectId = made.body.id
  const soon = `${new Date(Date.now() + 3.5 * 86_400_000).toISOString().slice(0, 19)}+00:00`
  const line = { name: 'Line 1', expires_at: soon, max_uses: 7, hardware_model: 'gw-imx8m' }
  await call(api, createEnrollmentToken, { projectId }, { as, body: line })
  const server = { name: 'Build server', permissions: ['project:view' as const], lifetime_days: 7 as const }
  await call(api, createAccessToken, { projectId }, { as, body: server })
  const page = await openAccess(ines, projectId, organizationId)
  const panel = page.getByRole('region', { name: 'Expirations' })
  await panel.getByText('in 3 d', { exact: true }).waitFor()
  await expect.poll(() => panel.getByRole('row').count()).toBe(3)

  // From Monitor to the dialog on the page of the tokens.
  await page.goto(`${address}/organizations/${organizationId}/projects/${projectId}/monitor`)
  await panel.getByRole('link', { name: 'Rotate: Build server' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Rotate', exact: true }).click()
  await dialog.getByLabel('Access token', { exact: true }).waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.waitForURL((url) => url.search === '')
  const tokens = (await call(api, accessTokens, { projectId }, { as })).body.access_tokens
  expect(tokens.map(({ replaced_at }) => replaced_at === null).toSorted()).toEqual([false, true])

  // From the organization: the limits of the former token are filled in.
  await page.goto(`${address}/account/settings/organizations/list/${organizationId}/summary`)
  await panel.getByRole('cell', { name: 'Gateways', exact: true }).first().waitFor()
  await panel.getByRole('link', { name: 'Renew: Line 1' }).click()
  await expect.poll(() => field(page, 'Devices at most').inputValue()).toBe('7')
  await dialog.getByRole('button', { name: 'Add token' }).click()
  await page.getByText('Admits 7 new devices until').waitFor()
  await dialog.getByRole('button', { name: 'Close', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const renewed = (await call(api, enrollmentTokens, { projectId }, { as })).body.enrollment_tokens
  expect(renewed.map(({ name, hardware_model }) => [name, hardware_model])).toEqual([
    ['Line 1', 'gw-imx8m'],
    ['Line 1', 'gw-imx8m'],
  ])

  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'viewer')
  const hers = await openAccess(vera, projectId, organizationId)
  const refused = hers.getByRole('region', { name: 'Expirations' }).getByRole('button', { name: 'Rotate: Build server' })
  await refused.waitFor()
  await expect.poll(() => refused.getAttribute('aria-disabled')).toBe('true')
  await expect.poll(() => hers.getByRole('region', { name: 'Expirations' }).getByRole('link').count()).toBe(0)
})

it('the keys stay where they first show while it is found out that nothing expires', async () => {
  const ines = await newUser(hosts())
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Orchard' } })
  const page = await (await open(ines)).newPage()
  await page.addInitScript(() => {
    const tops = new Set<number>()
    Object.assign(window, { tops })
    const watch = () => {
      for (const { textContent, offsetTop } of document.querySelectorAll<HTMLElement>('main h2'))
        if (textContent === 'Signing keys') tops.add(offsetTop)
      requestAnimationFrame(watch)
    }
    watch()
  })
  await page.goto(`${hosts().console}/organizations/none/projects/${project.id}/access`)
  await page.getByText('Nothing expires within 30 days.').waitFor()
  await page.getByRole('region', { name: 'Signing keys' }).getByRole('button', { name: 'Refresh' }).waitFor()
  expect(await page.evaluate(() => [...(window as unknown as { tops: Set<number> }).tops])).toHaveLength(1)
})
