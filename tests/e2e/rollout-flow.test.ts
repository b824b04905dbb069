import { expect, it } from 'vitest'
import { projectAuditLog } from '../../contract/accounts/audit'
import { createDevice } from '../../contract/fleet/devices'
import { createOrganization } from '../../contract/accounts/organization'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { createSigningKey, revokeSigningKey, signingKeys } from '../../contract/fleet/keys'
import { releaseToSign } from '../../contract/updates/release-signing'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { releaseRollouts, rollout as rolloutById } from '../../contract/updates/rollouts'
import { openFleet } from './every-route/fleet'
import { artifacts } from './support/artifacts'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join } from './support/members'

const { hosts, open } = useConsole()

/** The gate may be evaluated after any of the three failures; before the last one its text gives another reason. */
const halted = /^Wave 1 was halted: [1-3] of [1-3] failed, /

/** A signed release, three devices that trust its key, and the page of the release. */
const bench = async (owner: Visitor, projectId: string, organizationId = 'none') => {
  const made = await artifacts(hosts(), owner, projectId)
  const fleet = await openFleet(hosts(), owner, projectId, made.fingerprint)
  const devices = [await fleet.add('gw-0417'), await fleet.add('gw-0418'), await fleet.add('gw-0419')]
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(300, 'a') })
  const home = `${hosts().console}/organizations/${organizationId}/projects/${projectId}`
  // All have begun before the first one fails, because a halted rollout is offered to no other device.
  const fail = async () => {
    for (const device of devices) await expect.poll(() => fleet.install(device, { type: 'update_accepted' })).toBe(true)
    const failed = { type: 'update_failed', reason_code: 'boot_failed' } as const
    expect(await Promise.all(devices.map((device) => fleet.install(device, failed)))).toEqual([true, true, true])
  }
  const rollouts = async () => (await call(hosts().api, releaseRollouts, { releaseId }, { as: owner.token })).body.rollouts
  return { home, status: `${home}/releases/list/${releaseId}/status`, fail, rollouts }
}

const openAt = async (visitor: Visitor, url: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(url)
  return page
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name, exact: true })
const field = (page: Page, name: string) => page.getByRole('dialog').getByRole('textbox', { name, exact: true })

it('a rollout names who must approve it, and their approval starts it', async () => {
  const ines = await subscriber(hosts())
  const otto = await newUser(hosts())
  await hosts().sql(`update users set full_name = 'Otto Feldt' where email = $1`, [otto.email])
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Hedgerow' } })
  const organizationId = made.public_id
  await join(hosts(), organizationId, otto, 'admin')
  const body = { name: 'Gateways' }
  const { body: project } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body })
  await hosts().sql(`update projects set settings = settings || '{"require_approval": true}' where id = $1`, [project.id])
  const { home, status } = await bench(ines, project.id, organizationId)
  const camera = { name: 'cam-0031', hardware_model: 'gw-imx8m' }
  await call(hosts().api, createDevice, { projectId: project.id }, { as, body: camera })

  const page = await openAt(ines, status)
  await button(page, 'Start rollout').click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 device does not trust the signing key').waitFor()
  await dialog.getByText('cam-0031 (never seen).', { exact: false }).waitFor()
  await inDialog(page, 'Ask for approval').click()

  const waits = 'Waits for approval by someone who may approve releases other than Ines Marlow.'
  await page.getByText(waits).waitFor()
  const approve = button(page, 'Approve')
  await expect.poll(() => approve.getAttribute('aria-disabled')).toBe('true')
  await approve.hover()
  await page.getByText('You created this rollout: another person has to approve or deny it.').first().waitFor()
  await page.goto(`${home}/monitor`)
  await page.getByText(waits).waitFor()

  // The list shows the author that it is open, and the other person that it waits for them.
  await page.goto(`${home}/releases/rollouts`)
  await page.getByText('Waiting for you 0').waitFor()
  await page.getByRole('link', { name: 'Gateway #1' }).waitFor()
  const other = await openAt(otto, `${home}/releases/rollouts`)
  await other.getByText('Waiting for you 1').click()
  await other.getByRole('link', { name: 'Gateway #1' }).click()
  await button(other, 'Approve').click()
  await other.getByText('It starts at once, for 3 devices.').waitFor()
  const asked = other.getByRole('dialog').getByRole('definition')
  await expect
    .poll(() => asked.allTextContents())
    .toEqual(['Ines Marlow', 'Gateway v20500 (compare)', expect.stringMatching(/^.+ \(.+\)$/), '3 without a release'])
  await inDialog(other, 'Approve').click()
  await other.getByText('Running, wave 1 of', { exact: false }).waitFor()
  await other.getByRole('definition').filter({ hasText: 'by Otto Feldt' }).first().waitFor()
  const timeline = other.getByRole('region', { name: 'Timeline' })
  await timeline.getByText('Approved by Otto Feldt').waitFor()
  await button(other, 'Show chart').click()
  await other.getByRole('img', { name: 'Gateway #1: Draft, Pending approval, Scheduled, Filling' }).waitFor()
})

it('a halted rollout is resumed with a reason, ends with its failures, and is started again on the failed devices', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const { status, fail, rollouts } = await bench(ines, project.id)
  const page = await openAt(ines, status)
  await button(page, 'Start rollout').click()
  await page.getByRole('dialog').getByText('All at once').click()
  await page.getByRole('dialog').getByText('3 of 3').waitFor()
  await inDialog(page, 'Start rollout').click()
  await page.getByText('Running, wave 1 of 1').waitFor()
  await fail()
  await page.getByText(halted).waitFor()

  // Queued again, and offered only after a person has resumed it.
  await button(page, 'Retry failed').click()
  await page.getByText('3 failed devices are queued again', { exact: false }).waitFor()
  await inDialog(page, 'Retry failed').click()
  await page.getByText('3 devices wait; resume to continue.').waitFor()
  await button(page, 'Resume').click()
  await page.getByText('failures up to 10 %, successes from 90 %').waitFor()
  await inDialog(page, 'Resume').click()
  await page.getByText('Reason is required').waitFor()
  await field(page, 'Reason').fill('Bad power')
  await page.getByText('Reason must be at least 10 characters').waitFor()
  await field(page, 'Reason').fill('The bench supply was weak')
  await inDialog(page, 'Resume').click()
  await page.getByText('Running, wave 1 of 1').waitFor()
  await fail()
  await page.getByText(halted).waitFor()

  await button(page, 'Resume').click()
  await page.getByText('What has failed so far (3 devices) is not counted', { exact: false }).waitFor()
  await page.getByRole('dialog').getByText('Change', { exact: true }).click()
  await field(page, 'Failures at most').fill('25')
  await page.getByText('failures up to 10 % → 25 %, successes from 90 %').waitFor()
  await field(page, 'Reason').fill('All three are on a shelf')
  await inDialog(page, 'Resume').click()
  await page.getByText('Completed with failures: 3 of 3 failed').waitFor()
  await page.getByText('Failed, resumed anyway').waitFor()

  const { body: log } = await call(hosts().api, projectAuditLog, { projectId: project.id }, { as })
  const resumed = log.entries.filter(({ action }) => action === 'rollout.resume')
  expect(resumed.map(({ reason }) => reason)).toEqual(['All three are on a shelf', 'The bench supply was weak'])
  expect(resumed[0]?.changes).toEqual([{ field: 'waves.1.gate.max_failure_percent', before: 10, after: 25 }])
  const halts = log.entries.filter(({ action }) => action === 'rollout.halt')
  expect(halts.map(({ actor }) => actor.kind)).toEqual(['system', 'system'])

  await page.reload()
  await page.getByRole('link', { name: 'gw-0418' }).waitFor()
  await button(page, 'Retry failed').click()
  await page.getByRole('dialog').getByText('Failed in Gateway #1').waitFor()
  await inDialog(page, 'Start rollout').waitFor()
  await expect.poll(() => inDialog(page, 'Start rollout').isEnabled()).toBe(true)
  await inDialog(page, 'Start rollout').click()
  await page.getByText('Running, wave 1 of 3').waitFor()
  const [again, first] = await rollouts()
  expect(again).toMatchObject({ name: 'Gateway #2', state: 'running', counts: { targeted: 3 } })
  expect(again?.target).toEqual({ failed_in: first?.id, key_trusted: true })

  // After the cancellation its devices keep their release: the list shows no target version.
  await button(page, 'More actions for Gateway #2').click()
  await page.getByRole('menuitem', { name: 'Cancel rollout' }).click()
  await inDialog(page, 'Cancel rollout').click()
  await page.getByText('Cancelled', { exact: true }).first().waitFor()
})

it('the updates that a cancelled rollout leaves running are stopped from its page', async () => {
  const ines = await subscriber(hosts())
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as: ines.token, body: { name: 'Copse' } })
  const made = await artifacts(hosts(), ines, project.id)
  const fleet = await openFleet(hosts(), ines, project.id, made.fingerprint)
  const device = await fleet.add('gw-0417')
  const release = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(300, 'a') })
  const rolloutId = await fleet.rollOut(release)
  await expect.poll(() => fleet.install(device, { type: 'update_accepted' })).toBe(true)
  const page = await openAt(ines, `${hosts().console}/organizations/none/projects/${project.id}/releases/rollouts/${rolloutId}`)
  const choose = async (name: string) => {
    await button(page, 'More actions for Gateway #1').click()
    await page.getByRole('menuitem', { name }).click()
    await inDialog(page, name).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  await choose('Cancel rollout')
  await page.getByText('Cancelling', { exact: true }).first().waitFor()
  await choose('Stop running updates')
  await page.getByRole('region', { name: 'Timeline' }).getByText('Devices are asked to stop', { exact: false }).waitFor()
  await page.reload()
  await button(page, 'More actions for Gateway #1').click()
  await page.getByRole('menuitem', { name: 'Stop running updates' }).click()
  await page.getByText('1 update is still running.', { exact: false }).waitFor()
  await inDialog(page, 'Stop running updates').click()
  await page.getByText('The devices of this rollout have been asked to stop already').waitFor()
})

it('the page of a rollout starts it again on its failed devices, and a superseded release can be rolled out again', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Meadow' } })
  const made = await artifacts(hosts(), ines, project.id)
  const fleet = await openFleet(hosts(), ines, project.id, made.fingerprint)
  const devices = [await fleet.add('gw-0417'), await fleet.add('gw-0418')]
  const home = `${hosts().console}/organizations/none/projects/${project.id}`
  /** Rolled out to its end, with this result on each device. */
  const rolledOut = async (releaseId: string, results: readonly Parameters<typeof fleet.install>[1][]) => {
    const rolloutId = await fleet.rollOut(releaseId)
    for (const [n, result] of results.entries())
      await expect.poll(() => devices[n] && fleet.install(devices[n], { type: 'update_accepted' }, result)).toBe(true)
    const ended = async () => (await call(hosts().api, rolloutById, { rolloutId }, { as })).body.ended_at
    await expect.poll(ended).not.toBeNull()
    return rolloutId
  }
  const succeeded = { type: 'update_confirmed' } as const
  const failed = { type: 'update_failed', reason_code: 'boot_failed' } as const
  const good = await made.signed({ name: 'Gateway May', version: 20_500, bytes: Buffer.alloc(300, 'a') })
  await rolledOut(good, [succeeded, succeeded])
  const bad = await made.signed({ name: 'Gateway June', version: 20_600, bytes: Buffer.alloc(300, 'b') })
  const halfDone = await rolledOut(bad, [succeeded, failed])

  const page = await openAt(ines, `${home}/releases/rollouts/${halfDone}`)
  await button(page, 'Retry failed').click()
  await page.getByRole('dialog').getByText('Failed in Gateway June #1').waitFor()
  await page.getByRole('dialog').getByText('1, in waves of 1').waitFor()
  await inDialog(page, 'Start rollout').click()
  await page.getByRole('dialog').waitFor({ state: 'hidden' })
  const [, second] = devices
  await expect.poll(() => second && fleet.install(second, { type: 'update_accepted' }, succeeded)).toBe(true)
  // All devices have the newer release now.
  await page.goto(`${home}/releases/list/${good}/status`)
  await page.getByText('Superseded: v20600 replaced it').waitFor()
  await button(page, 'Start rollout').click()
  await page.getByRole('dialog').getByText('this rollout does not allow downgrades. The full plan can allow them.').waitFor()
})

it('a release whose only key was revoked says so, and is signed again with another key', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: project } = await call(hosts().api, createPersonalProject, {}, { as, body: { name: 'Brook' } })
  const { status } = await bench(ines, project.id)
  const { body } = await call(hosts().api, signingKeys, { projectId: project.id }, { as })
  const [lost] = body.signing_keys
  const reason = { reason: 'The laptop was stolen' }
  await call(hosts().api, revokeSigningKey, { signingKeyId: lost?.id ?? '' }, { as, body: reason })
  const page = await openAt(ines, status)
  await page.getByText('revoked key', { exact: true }).waitFor()
  await page.getByText('The keys that signed this release were revoked, so no device is offered it.', { exact: false }).waitFor()
  await button(page, 'Start rollout').click()
  await page.getByRole('dialog').getByText('Sign it with another key first', { exact: false }).waitFor()
  await inDialog(page, 'Cancel').click()

  const key = await generateSigningKey('ed25519')
  const facts = { name: 'release-2027', algorithm: 'ed25519' as const, public_key_pem: pemOf(key.publicKey) }
  await call(hosts().api, createSigningKey, { projectId: project.id }, { as, body: facts })
  const releaseId = status.split('/').at(-2) ?? ''
  const { body: toSign } = await call(hosts().api, releaseToSign, { releaseId }, { as })
  const { signature } = await sign(key, payloadType, fromBase64(toSign.payload_base64) ?? new Uint8Array())
  await page.reload()
  await page.getByRole('textbox', { name: 'Signature', exact: true }).fill(toBase64(signature))
  await button(page, 'Add signature').click()
  await page.getByText('verified in this browser').waitFor()
  await page.getByText('Signed by release-2027', { exact: false }).waitFor()
  expect(await page.getByText('were revoked', { exact: false }).count()).toBe(0)
})
