import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEnrollmentToken } from '../../contract/fleet/enrollment-tokens'
import { endStates, isEnded } from '../../contract/device/update-events'
import { clientKinds } from '../../contract/ddi/model-client'
import { createPersonalProject, updateProject } from '../../contract/accounts/project-changes'
import { project as readProject } from '../../contract/accounts/projects'
import { previewRollout } from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import { createRollout, rollout as readRollout, rolloutDevices } from '../../contract/updates/rollouts'
import { updateDisplay } from '../../src/lib/status-display'
import { raucHawkbitUpdater, zephyr } from '../support/ddi/replays'
import { openProxy } from '../support/ddi/proxy'
import { createBundle, createSigner, isInstalled, runSwupdate } from '../support/ddi/swupdate'
import { freePort } from '../support/free-port'
import { openFleet } from './every-route/fleet'
import { artifacts } from './support/artifacts'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'
import { isFull } from '../support/counts'
import { within } from '../support/machine-load'

// A run of all tests names what is not proven on this machine.
if (!isInstalled) process.stderr.write("not run: Debian's swupdate in the rollout over all clients: it is not installed\n")

const proxyPort = await freePort()
const { hosts, open } = useConsole({ TEASEL_DDI_HOSTS: `127.0.0.1:${proxyPort}` })
let bench: string
let proxy: Awaited<ReturnType<typeof openProxy>>
beforeAll(async () => {
  bench = await mkdtemp(join(tmpdir(), 'teasel-clients-'))
  proxy = await openProxy(hosts().api, proxyPort)
  // Sleeps as told make this the longest test: ddi-real-time.test.ts keeps them too.
  if (!isFull) proxy.shortenSleeps()
})
afterAll(async () => {
  await proxy.close()
  await rm(bench, { recursive: true, force: true })
})

const version = '1.1.0'
const agentModel = 'gw-imx8m'
const models = clientKinds.map((kind) => ({
  id: kind === 'teasel' ? agentModel : kind,
  name: kind,
  platform: 'linux',
  slots: 'ab' as const,
  client: { kind },
}))
// Every wave passes, whichever of its devices ends first.
const gate = { min_success_percent: 0, max_failure_percent: 100, min_sample: 1, soak_s: 0, then: 'continue' } as const
const waves = [50, 100].map((value) => ({ kind: 'percent' as const, value, gate }))

/** What a device does in the rollout, and how its update truly ends. */
type Member = { name: string; end: 'succeeded' | 'rolled_back' | 'failed'; step: (state: string) => Promise<unknown> }

it('one rollout over agents, swupdate, rauc-hawkbit-updater and Zephyr shows the true end of every device', async () => {
  const ines = await newUser(hosts())
  const { api } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const projectId = project.id
  const { revision } = (await call(api, readProject, { projectId }, { as })).body
  const settings = { hardware_models: models, auto_accept_devices: true }
  await call(api, updateProject, { projectId }, { as, headers: { 'if-match': `"${revision}"` }, body: { settings } })
  const tokenOf = async (model: string) => {
    const body = { name: `Gateway of ${model}`, hardware_model: model, auto_accept: true, max_uses: 100 }
    return (await call(api, createEnrollmentToken, { projectId }, { as, body })).body.token
  }
  const tokens = { rauc: await tokenOf('rauc'), zephyr: await tokenOf('zephyr'), swupdate: await tokenOf('swupdate') }

  // One file for all: only swupdate reads what is in it.
  const signer = isInstalled ? await createSigner(join(bench, 'signer')) : undefined
  const target = join(bench, 'installed.bin')
  const bytes = signer
    ? await createBundle({ directory: join(bench, 'bundle'), signer, version, content: Buffer.alloc(20_000, 7), target })
    : Buffer.alloc(20_000, 7)
  const made = await artifacts(hosts(), ines, projectId)
  const facts = { hardwareModels: models.map(({ id }) => id), fileName: 'bundle.swu', displayVersion: version }
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes, ...facts })

  const members: Member[] = []
  const fleet = await openFleet(hosts(), ines, projectId, made.fingerprint)
  const good = await fleet.add('agent-good')
  const bad = await fleet.add('agent-bad')
  const install = { type: 'update_accepted' as const }
  members.push(
    { name: 'agent-good', end: 'succeeded', step: () => fleet.install(good, install, { type: 'update_confirmed' }) },
    {
      name: 'agent-bad',
      end: 'failed',
      step: () => fleet.install(bad, install, { type: 'update_failed', reason_code: 'hash_mismatch' }),
    },
  )

  const address = (id: string, token: string) => ({ url: api, id, authorization: `GatewayToken ${token}` })
  /** As if two minutes had passed: a client is asked for its attributes again. */
  const age = (name: string) =>
    hosts().sql(
      `update ddi_devices set config_at = config_at - interval '2 minutes'
        where device_id = (select id from devices where serial_number = $1)`,
      [name],
    )
  /** As if the time to confirm had passed. */
  const expire = (name: string) =>
    hosts().sql(
      `update rollout_devices set since = since - interval '2 hours'
        where state = 'claimed' and device_id = (select id from devices where serial_number = $1)`,
      [name],
    )
  for (const [name, isGood] of [
    ['zephyr-good', true],
    ['zephyr-back', false],
  ] as const) {
    const runs = { version: '1.0.0' }
    const client = zephyr(address(name, tokens.zephyr), 'before', runs)
    await client.poll()
    const step = async (state: string) => {
      if (state === 'claimed') await age(name)
      if ((await client.poll()) !== null && isGood) runs.version = version
      if (state === 'claimed' && !isGood) await expire(name)
    }
    members.push({ name, end: isGood ? 'succeeded' : 'rolled_back', step })
  }
  for (const [name, isGood] of [
    ['rauc-good', true],
    ['rauc-back', false],
  ] as const) {
    const runs = { sw_version: '1.0.0', boot_id: 'first' }
    const client = raucHawkbitUpdater(address(name, tokens.rauc), runs)
    await client.poll()
    // The boot at the offer is not known, so the first one after the claim proves no fall-back, and the next one does.
    let boots = 0
    const step = async (state: string) => {
      if (state === 'claimed') {
        await age(name)
        Object.assign(runs, { sw_version: isGood ? version : '1.0.0', boot_id: `after the claim ${(boots += 1)}` })
      }
      await client.poll()
    }
    members.push({ name, end: isGood ? 'succeeded' : 'rolled_back', step })
  }
  const running: Promise<unknown>[] = []
  for (const [name, isGood] of signer
    ? ([
        ['swupdate-good', true],
        ['swupdate-back', false],
      ] as const)
    : []) {
    // Registered before the rollout targets it.
    await fetch(`${api}/DEFAULT/controller/v1/${name}`, { headers: { authorization: `GatewayToken ${tokens.swupdate}` } })
    const own = { directory: join(bench, name), url: `http://127.0.0.1:${proxyPort}`, id: name, token: tokens.swupdate }
    const settings = { ...own, cert: signer?.cert ?? '', version: '1.0.0', bootId: 'first', withinMs: 120_000 }
    const boots = async () => {
      const isIn =
        (...states: string[]) =>
        async () =>
          states.includes((await readStates()).get(name) ?? '')
      await runSwupdate(settings, isIn('rebooting', ...endStates))
      const after = { ...settings, version: isGood ? version : '1.0.0', bootId: 'second' }
      return runSwupdate(after, isIn('succeeded', 'rolled_back', 'failed'), 2)
    }
    let isOn = false
    const step = async () => {
      if (!isOn) running.push(boots())
      isOn = true
    }
    members.push({ name, end: isGood ? 'succeeded' : 'rolled_back', step })
  }

  const plan = { target: { everything: true as const }, waves }
  const { body: seen } = await call(api, previewRollout, { releaseId }, { as, body: plan })
  expect(seen).toMatchObject({ total: members.length, excluded: [] })
  const body = { ...plan, max_concurrent: 100, preview_hash: seen.preview_hash }
  const { body: begun } = await call(api, createRollout, { releaseId }, { as, body })
  await call(api, startRollout, { rolloutId: begun.id }, { as })
  const readStates = async () => {
    const { body: page } = await call(api, rolloutDevices, { rolloutId: begun.id }, { as })
    return new Map(page.devices.map(({ device_name, state }) => [device_name, state]))
  }

  const page = await (await open(ines)).newPage()
  // Rows outside the window are not on the page.
  await page.setViewportSize({ width: 1280, height: 2400 })
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/rollouts/${begun.id}`)
  const shown = (name: string) =>
    page
      .getByRole('table', { name: /Devices of/ })
      .getByRole('row', { name })
      .getByRole('cell')
      .nth(3)
      .textContent({ timeout: within(5000) })
  await expect.poll(() => shown('agent-good')).not.toBe('')

  let claimShown = false
  const stepAll = async () => {
    const states = await readStates()
    for (const { name, step } of members) {
      const state = states.get(name) ?? ''
      if (state === 'claimed' && !claimShown) {
        await expect.poll(() => shown(name)).toBe(updateDisplay('claimed').word)
        claimShown = true
      }
      if (!isEnded(state)) await step(state)
    }
    return [...states].filter(([, state]) => !isEnded(state))
  }
  await expect.poll(stepAll, { timeout: within(180_000), interval: 500 }).toEqual([])
  const printed = await Promise.all(running)
  expect(claimShown).toBe(true)
  const ends = members.map(({ name, end }) => [name, end])
  expect([...(await readStates())].toSorted(), printed.join('\n')).toEqual(ends.toSorted())
  for (const { name, end } of members) await expect.poll(() => shown(name)).toBe(updateDisplay(end).word)
  const { body: over } = await call(api, readRollout, { rolloutId: begun.id }, { as })
  const succeeded = members.filter(({ end }) => end === 'succeeded').length
  expect(over.counts).toMatchObject({ targeted: members.length, succeeded, running: 0, waiting: 0 })
  expect(over.waves).toHaveLength(2)
})
