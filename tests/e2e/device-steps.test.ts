import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { bootAs } from '../../agent/testing/agent-process'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { createDeviceConfig } from '../../contract/fleet/configs'
import type { DeviceConfig } from '../../contract/device/config'
import { checkIn, enroll, metrics, putAttributes, update } from '../../contract/device/endpoints'
import { generateSigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import { deviceCommands } from '../../contract/fleet/device-commands'
import { decommissionDevice } from '../../contract/fleet/device-lifecycle'
import { deviceSystemLogs } from '../../contract/fleet/device-logs'
import { createDevice, type Device, device as getDevice, updateDevice } from '../../contract/fleet/devices'
import { createSigningKey } from '../../contract/fleet/keys'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject } from '../../contract/accounts/project-changes'
import { attributesHash, checkInBody, enrollBody } from '../support/devices'
import { openFleet } from './every-route/fleet'
import { agentCommandWith } from './support/agent'
import { artifacts } from './support/artifacts'
import type { Page } from './support/browser'
import { call, statusOf } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser, subscriber, type Visitor } from './support/hosts'
import { join as joinOrganization } from './support/members'

const { hosts, open } = useConsole()
let bench: string
beforeAll(async () => {
  bench = await mkdtemp(join(tmpdir(), 'teasel-steps-'))
})
afterAll(() => rm(bench, { recursive: true, force: true }))

const home = (projectId: string) => `/organizations/none/projects/${projectId}`
const openAt = async (visitor: Visitor, path: string) => {
  const page = await (await open(visitor)).newPage()
  await page.goto(hosts().console + path)
  return page
}
const choose = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const answer = async (page: Page, title: string, button: string) => {
  const question = page.getByRole('alertdialog', { name: title, exact: true })
  await question.getByRole('button', { name: button, exact: true }).click()
  await question.waitFor({ state: 'detached' })
}

/** A pre-enrolled device with its agent: each run of it is one check-in, and gives its exit code and what it printed. */
const makeAgent = async ({ token: as }: Visitor, projectId: string, name: string, more: Partial<DeviceConfig> = {}) => {
  const { api } = hosts()
  const { publicKey } = await generateSigningKey('ed25519')
  const facts = { name: 'release', algorithm: 'ed25519' as const, public_key_pem: pemOf(publicKey) }
  const { body: key } = await call(api, createSigningKey, { projectId }, { as, body: facts })
  const { body: made } = await call(api, createDevice, { projectId }, { as, body: { name, hardware_model: 'gw' } })
  const { body: written } = await call(
    api,
    createDeviceConfig,
    { projectId },
    {
      as,
      body: {
        name,
        enrollment: 'pre_enrolled',
        device_id: made.id,
        device_token: made.device_token,
        hardware_model: 'gw',
        server_url: api,
        public_key_ids: [key.id],
        trial: true,
        persistent_directory: join(bench, name, 'state'),
        install_root: join(bench, name, 'root'),
        update_mode: 'file',
        polling_interval_s: 60,
        network_timeout_s: 30,
        download_retries: 10,
        metrics_interval_s: 60,
        logs_enabled: true,
        log_level: 'info',
        single_check: true,
        stop_after: 'none',
      },
    },
  )
  const config = join(bench, `${name}.json`)
  await writeFile(config, JSON.stringify({ ...written.config, ...more }))
  const run = (options: readonly string[] = []) =>
    agentCommandWith(options, '--config', config).then(
      (printed) => ({ code: 0, printed }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({ code, printed: stdout + stderr }),
    )
  return { id: made.id, token: made.device_token, run }
}

const lifecycle = async (as: string, deviceId: string): Promise<Device['lifecycle']> =>
  (await call(hosts().api, getDevice, { deviceId }, { as })).body.lifecycle
const reasonFor = async (as: string) => (await call(hosts().api, update, {}, { as })).headers.get('x-reason')

it('disables, deletes, restores and decommissions a device, and its agent is told what the page says', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const agent = await makeAgent(ines, projectId, 'gw-0417')
  expect(await agent.run()).toMatchObject({ code: 0 })
  const page = await openAt(ines, `${home(projectId)}/devices/list/${agent.id}/update-events`)

  // Declined: nothing happens. Accepted: the device still connects, but gets no updates, until it is undone.
  await choose(page, 'Disable…')
  await answer(page, 'Disable gw-0417?', 'Cancel')
  await expect.poll(() => lifecycle(as, agent.id)).toBe('active')
  await choose(page, 'Disable…')
  await answer(page, 'Disable gw-0417?', 'Disable')
  await page
    .getByText('Disabled: the device checks in and reports, and is told that it gets no updates.', { exact: false })
    .waitFor()
  expect(await agent.run()).toMatchObject({ code: 0 })
  await expect.poll(() => reasonFor(agent.token)).toBe('disabled')
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('gw-0417 was enabled').waitFor()
  expect([await lifecycle(as, agent.id), await reasonFor(agent.token)]).toEqual(['active', 'up_to_date'])

  // Deleted: its token is refused, until the device is restored from the list of deleted devices.
  await choose(page, 'Delete…')
  await answer(page, 'Delete gw-0417?', 'Delete')
  await page.waitForURL('**/devices/list')
  await page.getByText('gw-0417 was deleted').waitFor()
  const refused = await agent.run()
  expect(refused.code).toBe(1)
  expect(refused.printed).toContain('The device token is no longer valid')
  await page.getByRole('link', { name: 'Deleted devices' }).click()
  await page.getByRole('row', { name: 'gw-0417' }).getByRole('button', { name: 'Restore' }).click()
  await page.getByText('gw-0417 was restored').waitFor()
  await page.getByText('A deleted device can be restored here for 30 days.').waitFor()
  expect(await agent.run()).toMatchObject({ code: 0 })

  // Decommissioned: only after its name was typed, and for good.
  await page.goto(`${hosts().console}${home(projectId)}/devices/list/${agent.id}/update-events`)
  await choose(page, 'Decommission…')
  const question = page.getByRole('alertdialog', { name: 'Decommission gw-0417?' })
  const confirm = question.getByRole('button', { name: 'Decommission', exact: true })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await question.getByRole('textbox').fill('gw-0417')
  await confirm.click()
  await page.getByText('Decommissioned: every call of this device is refused and its client stops.', { exact: false }).waitFor()
  const ended = await agent.run()
  expect(ended.code).toBe(4)
  expect(ended.printed).toContain('This device is decommissioned; the agent stops')
  await page.getByRole('button', { name: 'More actions' }).click()
  await expect.poll(() => page.getByRole('menuitem').allInnerTexts()).toEqual(['Delete…'])
})

it('undoes a deletion from its notice, and says why a device whose client has enrolled again is not restored', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const { body: group } = await call(hosts().api, createEnrollmentToken, { projectId }, { as, body: { name: 'Line 1' } })
  const facts = enrollBody({ name: 'gw-0418', serial_number: 'GW-0418', hardware_model: 'gw' })
  const enrolled = async () => (await call(hosts().api, enroll, {}, { as: group.token, body: facts })).body
  const heard = (token: string) => statusOf(hosts().api, checkIn, {}, { as: token, body: checkInBody() })
  const first = await enrolled()
  const page = await openAt(ines, `${home(projectId)}/devices/list/${first.device_id}/update-events`)
  const remove = async () => {
    await choose(page, 'Delete…')
    const question = page.getByRole('alertdialog', { name: 'Delete gw-0418?' })
    await question
      .getByText('enrolls again as a new device: to keep it out, decommission it instead.', { exact: false })
      .waitFor()
    await question.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('gw-0418 was deleted').last().waitFor()
  }
  await remove()
  expect(await heard(first.device_token)).toBe(401)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('gw-0418 was restored').waitFor()
  await page.getByRole('link', { name: 'gw-0418' }).click()
  await page.getByRole('heading', { name: 'gw-0418' }).waitFor()
  expect(await heard(first.device_token)).toBe(200)

  await remove()
  await enrolled()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The device gw-0418 has the serial number GW-0418 now. Delete it to restore this one').waitFor()
})

it('pauses the updates of a device until a time, says so, and resumes them', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const facts = { name: 'gw-0419', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as, body: facts })
  const until = async () => (await call(hosts().api, getDevice, { deviceId: made.id }, { as })).body.updates_paused_until
  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.id}/update-events`)
  await choose(page, 'Pause updates…')
  const dialog = page.getByRole('dialog', { name: 'Pause updates of gw-0419' })
  await dialog.getByText('1 week', { exact: true }).click()
  const before = Date.now()
  await dialog.getByRole('button', { name: 'Pause updates' }).click()
  await page.getByText(/^Updates are paused until /).waitFor()
  const hours = (new Date((await until()) ?? '').getTime() - before) / 3_600_000
  expect(Math.round(hours)).toBe(168)
  await choose(page, 'Resume updates')
  await page.getByText(/^Updates are paused until /).waitFor({ state: 'detached' })
  await expect.poll(() => until()).toBe(null)

  // An undo that fails says so.
  await choose(page, 'Pause updates…')
  await dialog.getByRole('button', { name: 'Pause updates' }).click()
  const paused = page.getByRole('status').filter({ hasText: 'Updates paused until' }).first()
  await paused.waitFor()
  await page.route(`**/devices/${made.id}`, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.fallback()))
  await paused.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The control center cannot be reached at the moment.').waitFor()
  expect(await until()).not.toBe(null)
})

it('a reboot whose answer was lost is not sent twice when it is repeated, and the device restarts once', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  // The command ends the agent as a restart of the device would; the test then starts it again.
  const reboots = join(bench, 'reboots')
  const agent = await makeAgent(ines, projectId, 'gw-0422', { reboot_command: `echo reboot >> '${reboots}'; kill -9 $PPID` })
  expect(await agent.run()).toMatchObject({ code: 0 })
  const page = await openAt(ines, `${home(projectId)}/devices/list/${agent.id}/update-events`)
  let lost = 0
  await page.route(`**/devices/${agent.id}/commands`, async (route) => {
    if (route.request().method() !== 'POST' || lost > 0) return route.fallback()
    lost += 1
    await route.fetch()
    return route.abort()
  })
  const reboot = async () => {
    await page.getByRole('button', { name: 'Reboot', exact: true }).click()
    await answer(page, 'Reboot gw-0422?', 'Reboot')
  }
  await reboot()
  await page.getByText('It is not known whether this was done. Try it again: it is not done twice.').waitFor()
  expect((await agent.run()).code).not.toBe(0)
  expect(await readFile(reboots, 'utf8')).toBe('reboot\n')
  await page.reload()
  await reboot()
  await page.getByText('It was sent the first time: the device fetched it at', { exact: false }).waitFor()
  expect(await agent.run(bootAs(randomUUID()))).toMatchObject({ code: 0 })
  expect(await readFile(reboots, 'utf8')).toBe('reboot\n')
  const { body: sent } = await call(hosts().api, deviceCommands, { deviceId: agent.id }, { as })
  expect([lost, sent.commands.map(({ command, state }) => [command, state])]).toEqual([1, [['reboot', 'done']]])
})

it('clears a quarantine only after a question that names its reason', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const facts = { name: 'gw-0420', hardware_model: 'gw' }
  const { body: made } = await call(hosts().api, createDevice, { projectId }, { as, body: facts })
  const quarantine = `update devices set quarantine_until = now() + interval '1 day', quarantine_reason = 'three failures' where id = $1`
  await hosts().sql(quarantine, [made.id])
  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.id}/update-events`)
  await page.getByText('Quarantined: three failures').waitFor()
  await choose(page, 'Clear quarantine…')
  await page.getByText('The release that failed may be offered again', { exact: false }).waitFor()
  await answer(page, 'Clear the quarantine of gw-0420?', 'Clear quarantine')
  await page.getByText('Quarantined: three failures').waitFor({ state: 'detached' })
  expect((await call(hosts().api, getDevice, { deviceId: made.id }, { as })).body.quarantine).toBe(null)
})

it('says why a step is not possible any more, and who may take it', async () => {
  const owner = await subscriber(hosts())
  const as = owner.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Field' } })
  const organizationId = made.public_id
  const project = { name: 'Gateways' }
  const { body: own } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body: project })
  const facts = { name: 'gw-0421', hardware_model: 'gw' }
  const { body: one } = await call(hosts().api, createDevice, { projectId: own.id }, { as, body: facts })
  const path = `/organizations/${organizationId}/projects/${own.id}/devices/list/${one.id}/update-events`
  const viewer = await newUser(hosts())
  await joinOrganization(hosts(), organizationId, viewer, 'viewer')
  const seen = await openAt(viewer, path)
  const more = seen.getByRole('button', { name: 'More actions' })
  await more.waitFor()
  await expect.poll(() => more.getAttribute('aria-disabled')).toBe('true')
  await more.focus()
  await seen
    .getByText('Needs “manage devices”. Roles that have it: owner, admin, developer, operator.')
    .filter({ visible: true })
    .first()
    .waitFor()

  // Somebody else decommissions the device while its page asks.
  const page = await openAt(owner, path)
  await choose(page, 'Disable…')
  await call(hosts().api, decommissionDevice, { deviceId: one.id }, { as })
  await answer(page, 'Disable gw-0421?', 'Disable')
  await page.getByText('Not possible with a device that is decommissioned').waitFor()
  await expect.poll(() => lifecycle(as, one.id)).toBe('decommissioned')
})

it('moves a device to another project after naming what changes, and moves it back', async () => {
  const ines = await subscriber(hosts())
  const { api } = hosts()
  const from = await projectOf(hosts(), ines)
  const goal = { as: ines.token, body: { name: 'Workshop' } }
  const to = (await call(api, createPersonalProject, {}, goal)).body.id
  const body = { name: 'gw-moved', hardware_model: 'gw' }
  const { body: one } = await call(api, createDevice, { projectId: from }, { as: ines.token, body })
  const page = await openAt(ines, `${home(from)}/devices/list/${one.id}`)
  await choose(page, 'Move to another project…')
  const dialog = page.getByRole('alertdialog', { name: 'Move gw-moved' })
  await dialog.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Workshop' }).click()
  await dialog.getByText('It keeps its token.').waitFor()
  await dialog.getByText('and no signing key of Workshop').waitFor()
  const confirm = dialog.getByRole('button', { name: 'Move device' })
  await expect.poll(() => confirm.isDisabled()).toBe(true)
  await dialog.getByRole('checkbox').check()
  await confirm.click()
  await page.getByText('gw-moved was moved to Workshop').waitFor()
  await page.waitForURL(`**${home(to)}/devices/list/**`)
  await page.getByRole('heading', { name: 'gw-moved' }).waitFor()
  expect(await statusOf(api, getDevice, { deviceId: one.id }, { as: ines.token })).toBe(404)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.waitForURL(`**${home(from)}/devices/list/${one.id}/**`)
  await page.getByRole('heading', { name: 'gw-moved' }).waitFor()
  expect(await statusOf(api, getDevice, { deviceId: one.id }, { as: ines.token })).toBe(200)
})

it('sends commands to a real agent, shows what it answers, and cancels one that it has not fetched', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const agent = await makeAgent(ines, projectId, 'gw-0430')
  expect(await agent.run()).toMatchObject({ code: 0 })
  const page = await openAt(ines, `${home(projectId)}/devices/list/${agent.id}/commands`)
  await page.getByText('A command waits for the next check-in of the device.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Send logs' }).click()
  const entry = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await entry('Send logs').getByText('Queued').waitFor()
  await page.getByRole('button', { name: 'Collect diagnostics' }).click()
  await entry('Collect diagnostics').getByText('Queued').waitFor()
  await page.getByRole('button', { name: 'Check now' }).click()
  await entry('Check now').getByText('Queued').waitFor()

  // The one that is cancelled never reaches the agent.
  await entry('Check now').getByRole('button', { name: 'Cancel' }).click()
  await entry('Check now').getByText('Cancelled').waitFor()
  const { code, printed } = await agent.run()
  expect(code, printed).toBe(0)
  await entry('Send logs').getByText('Done').waitFor()
  await entry('Collect diagnostics').getByText('Done').waitFor()

  // What the agent has collected is shown, copied and downloaded completely.
  await entry('Collect diagnostics').getByRole('button', { name: 'Show output' }).click()
  const output = page.getByLabel('Output of Collect diagnostics')
  await output.getByText('"events_waiting"').waitFor()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    entry('Collect diagnostics').getByRole('button', { name: 'Download' }).click(),
  ])
  const collected = JSON.parse(await readFile(await file.path(), 'utf8')) as { client: { name: string } }
  expect(collected.client.name).toBe('teasel-agent')
  const { body } = await call(hosts().api, deviceSystemLogs, { deviceId: agent.id }, { as: ines.token })
  const ran = body.lines.map(({ message }) => message).filter((message) => message.startsWith('Command '))
  expect(new Set(ran)).toEqual(new Set(['Command send_logs', 'Command collect_diagnostics']))

  // A disabled device gets none.
  await choose(page, 'Disable…')
  await answer(page, 'Disable gw-0430?', 'Disable')
  await page.getByText('Disabled: only an active device gets commands.', { exact: false }).waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Send logs', exact: true }).isDisabled()).toBe(true)
})

it('shows what a device is and reports, and edits its notes in place beside the change of another person', async () => {
  const ines = await newUser(hosts())
  const as = ines.token
  const { api } = hosts()
  const projectId = await projectOf(hosts(), ines)
  const fresh = { name: 'gw-0431', hardware_model: 'gw', serial_number: 'GW-0431', metadata: { row: 4 } }
  const { body: made } = await call(api, createDevice, { projectId }, { as, body: fresh })
  const own = { as: made.device_token }
  const attributes = Object.fromEntries(
    Array.from({ length: 12 }, (_, n) => [`fact.${String(n).padStart(2, '0')}`, `value ${n}`]),
  )
  await call(api, putAttributes, {}, { ...own, body: attributes })
  const installed = { release_id: '01M849TB47VQ78JQ7RGMAXRQS4', version: 7, slot: 'a' as const, confirmed: true }
  await call(api, checkIn, {}, { ...own, body: checkInBody({ installed, attributes_hash: await attributesHash(attributes) }) })
  const point = { name: 'storage.used_percent', unit: '%', ts_ms: Date.now() - 1000, value: 99 }
  await call(api, metrics, {}, { ...own, body: { points: [point] } })

  const page = await openAt(ines, `${home(projectId)}/devices/list/${made.id}/update-events`)
  await page.getByRole('link', { name: 'Details' }).click()
  await page.getByRole('row', { name: /^Storage used 99 % Critical / }).waitFor()
  await page.getByRole('row', { name: /7 .* a Running, confirmed$/ }).waitFor()
  await page.getByText('GW-0431', { exact: true }).waitFor()
  await page.getByText('Teasel agent: signed manifest', { exact: true }).waitFor()
  await page.getByRole('searchbox', { name: 'Filter attributes' }).fill('value 11')
  await page.getByRole('row', { name: 'fact.11 value 11' }).waitFor()
  await expect.poll(() => page.getByRole('table', { name: 'Attributes' }).getByRole('row').count()).toBe(2)
  await page.getByLabel('Metadata', { exact: true }).getByText('"row"').waitFor()

  const notes = page.getByRole('region', { name: 'Notes' })
  await notes.getByText('No notes.').waitFor()
  await notes.getByRole('button', { name: 'Edit notes' }).click()
  const { body: now } = await call(api, getDevice, { deviceId: made.id }, { as })
  const theirs = { body: { notes: 'On the roof' }, headers: { 'if-match': `"${now.revision}"` }, as }
  await call(api, updateDevice, { deviceId: made.id }, theirs)
  await notes.getByRole('textbox', { name: 'Notes' }).fill('Behind the pump')
  await notes.getByRole('button', { name: 'Save', exact: true }).click()
  await notes.getByRole('row', { name: /Notes – On the roof Behind the pump/ }).waitFor()
  await notes.getByRole('button', { name: 'Save my changes' }).click()
  await notes.getByRole('button', { name: 'Edit notes' }).waitFor()
  await notes.getByText('Behind the pump').waitFor()
  expect((await call(api, getDevice, { deviceId: made.id }, { as })).body.notes).toBe('Behind the pump')
})

it('follows an update in its chart, with the speed and the JSON of its reports, and charts what the device measures', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const made = await artifacts(hosts(), ines, projectId)
  const fleet = await openFleet(hosts(), ines, projectId, made.fingerprint)
  const device = await fleet.add('gw-0432')
  await fleet.measure(device)
  await fleet.rollOut(await made.signed({ name: 'Gateway', version: 7, bytes: Buffer.alloc(3000, 'a') }))
  const mega = 1024 ** 2
  await fleet.install(
    device,
    { type: 'update_accepted' },
    { type: 'download_started', bytes_done: 0 },
    { type: 'download_progress', bytes_done: 8 * mega, progress_percent: 25 },
    { type: 'download_progress', bytes_done: 16 * mega, progress_percent: 50 },
    { type: 'download_completed', bytes_done: 30 * mega },
  )
  const page = await openAt(ines, `${home(projectId)}/devices/list/${device.id}/update-events`)
  await page.getByRole('button', { name: 'Show chart' }).click()
  await page.getByRole('img', { name: 'Gateway #1, attempt 1: Downloaded' }).waitFor()
  // 30 MB in three times four seconds.
  await page.getByRole('figure', { name: 'Download speed 2.5 MB/s mean' }).waitFor()
  await page.getByText('2.5 MB/s', { exact: true }).nth(1).waitFor()
  await page.getByRole('button', { name: 'Download completed' }).click()
  const drawer = page.getByRole('dialog', { name: 'Download completed' })
  await drawer.getByText('"bytes_done": 31457280').waitFor()
  await page.keyboard.press('Escape')
  await drawer.waitFor({ state: 'detached' })

  // The open page follows the next report.
  await fleet.install(device, { type: 'verification_started' })
  await page.getByRole('img', { name: 'Gateway #1, attempt 1: Verifying' }).waitFor()
  const present = page.getByRole('region', { name: 'States of the update' }).locator('[aria-current]')
  await expect.poll(() => present.textContent()).toBe('verifying')
  // The chart is larger than its box, which shows this part of it.
  const [inner, outer] = [
    await present.boundingBox(),
    await page.getByRole('region', { name: 'States of the update' }).boundingBox(),
  ]
  expect((inner?.y ?? 0) - (outer?.y ?? 0)).toBeGreaterThan(0)
  expect((inner?.y ?? 0) + (inner?.height ?? 0)).toBeLessThan((outer?.y ?? 0) + (outer?.height ?? 0))

  await page.getByRole('link', { name: 'Metrics' }).click()
  await page.getByRole('figure', { name: /^CPU temperature/ }).waitFor()
  await page.getByRole('combobox', { name: 'Metric' }).fill('memory')
  await page.getByRole('option', { name: 'Memory used' }).click()
  await page.getByRole('figure', { name: /^Memory used/ }).waitFor()
  await page.getByText('1 h', { exact: true }).click()
  await page.getByRole('button', { name: 'Show Memory used as a table' }).click()
  const values = page.getByRole('table', { name: 'Memory used' })
  await expect.poll(() => values.getByRole('row').count()).toBeGreaterThan(50)
  expect(new URL(page.url()).search).toBe('?metric=memory.used_percent&range=1h')

  // A release that is installed meanwhile is marked in the chart.
  await page.getByRole('button', { name: 'Show Memory used as a chart' }).click()
  await page.getByRole('img', { name: /^Memory used: mean last [^;]*; limit [^;]*; limit [^;]*$/ }).waitFor()
  const installed = { release_id: '01M849TB47VQ78JQ7RGMAXRQS4', version: 7, slot: 'b' as const, confirmed: true }
  await call(hosts().api, checkIn, {}, { as: device.token, body: checkInBody({ installed }) })
  await page.reload()
  await page.getByRole('img', { name: /^Memory used: .*; 7$/ }).waitFor()
})
