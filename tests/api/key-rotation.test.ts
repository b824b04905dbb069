import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { classes, fleetOf } from '../../agent/simulate/classes'
import { checkIn } from '../../agent/simulate/device-calls'
import { randomOf } from '../../agent/simulate/random'
import { poll } from '../../agent/simulate/run-device'
import type { SimulatedDevice } from '../../agent/simulate/simulated-device'
import { simulateUpdate } from '../../agent/simulate/update'
import { type AgentSetup, buildAgent, type Running, setUpAgent, start } from '../../agent/testing/agent-process'
import { openSimulatedDevice, quietFleet } from '../../agent/testing/simulated'
import * as access from '../../contract/fleet/enrollment-tokens'
import { fromBase64 } from '../../contract/device/bytes'
import * as deviceUpdates from '../../contract/updates/device-updates'
import * as devices from '../../contract/fleet/devices'
import * as keyLists from '../../contract/fleet/key-lists'
import * as keys from '../../contract/fleet/keys'
import { releaseManifest } from '../../contract/updates/release-signing'
import * as rolloutPlans from '../../contract/updates/rollout-plans'
import { startRollout } from '../../contract/updates/rollout-steps'
import * as rollouts from '../../contract/updates/rollouts'
import { createTestApi, type TestApi } from '../support/api'
import { repetitions } from '../support/counts'
import { freePort } from '../support/free-port'
import type { Person } from '../support/people'
import { createReleaseFixture } from '../support/release-fixture'
import { within } from '../support/machine-load'

let api: TestApi
let ann: Person
let projectId: string
let agent: string
const running: Running[] = []
const stopping = new AbortController()
beforeAll(async () => {
  agent = await buildAgent()
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  await api.app.listen({ port, host: '127.0.0.1' })
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
})
afterAll(async () => {
  stopping.abort()
  for (const one of running) await one.kill('SIGKILL')
  await api.close()
})

const fleetSize = repetitions(10, 50)
const lateCount = fleetSize / 5
const folder = mkdtempSync(join(tmpdir(), 'teasel-rotation-'))
type Maker = Awaited<ReturnType<typeof createReleaseFixture>>

const run = async (...parameters: string[]) => {
  const one = start(agent, parameters)
  running.push(one)
  return { code: await one.ended, output: one.output() }
}
const once = async ({ configPath }: AgentSetup) => {
  const { code, output } = await run('--config', configPath, '--once')
  expect(code, output).toBe(0)
}

const enrollmentToken = async () => {
  const body = { name: 'Line', auto_accept: true }
  const made = await api.call(access.createEnrollmentToken, { projectId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  return made.body.token
}

/** A fleet of simulated devices that trust one key: real calls, real signatures, real downloads. */
const createFleet = async (token: string, { key }: Maker): Promise<SimulatedDevice[]> => {
  const options = { ...quietFleet(api.config.urls.api, token, [key.publicKey]), seed: 'rotation' }
  const cameras = classes.filter(({ id }) => id === 'camera')
  const profiles = fleetOf(options.seed, fleetSize, cameras, (name) => randomOf(options.seed, name))
  return Promise.all(
    profiles.map((profile) => openSimulatedDevice(profile, join(folder, `${profile.serial}.json`), options, stopping.signal)),
  )
}

const facts = async () => (await api.call(keyLists.keyRotation, { projectId }, { as: ann })).body

/** Signs the next list with the agent's command and sends it. */
const sendList = async ({ key, keyId }: Maker) => {
  const { next } = await facts()
  const payload_base64 = next.to_sign?.payload_base64 ?? ''
  const at = (name: string) => join(folder, `${next.counter}-${name}`)
  writeFileSync(at('key.pem'), key.privateKeyPem, { mode: 0o600 })
  writeFileSync(at('list.json'), fromBase64(payload_base64) ?? '')
  const signed = await run('sign', '--key', at('key.pem'), '--key-list', at('list.json'), '--out', at('signature'))
  expect(signed.code, signed.output).toBe(0)
  const body = { payload_base64, key_id: keyId, signature_base64: readFileSync(at('signature'), 'utf8').trim() }
  return api.call(keyLists.publishKeyList, { projectId }, { as: ann, body })
}
const publish = async (maker: Maker) => {
  const published = await sendList(maker)
  expect(published.status, published.text).toBe(201)
}
const replace = async ({ keyId }: Maker) =>
  expect((await api.call(keys.replaceSigningKey, { signingKeyId: keyId }, { as: ann })).body.state).toBe('retiring')
const revoke = async ({ keyId }: Maker) => {
  const body = { reason: 'Replaced' }
  const revoked = await api.call(keys.revokeSigningKey, { signingKeyId: keyId }, { as: ann, body })
  expect(revoked.status, revoked.text).toBe(200)
}

const rollOut = async (releaseId: string) => {
  const gate = { ...rolloutPlans.defaultGate, min_sample: 1 }
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate }] }
  const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ann, body: plan })
  const body = { ...plan, max_concurrent: 10_000, preview_hash: seen.body.preview_hash }
  const made = await api.call(rollouts.createRollout, { releaseId }, { as: ann, body })
  expect(made.status, made.text).toBe(201)
  const begun = await api.call(startRollout, { rolloutId: made.body.id }, { as: ann, body: {} })
  expect(begun.status, begun.text).toBe(200)
  return made.body.id
}
const wanted = (version: number) => ({
  version,
  bytes: Buffer.from(`version ${version}`),
  models: ['cam-rk3566', 'gw-imx8m'],
  reboot: 'never' as const,
})

it(
  'keys are rotated over a fleet, in the full run of 50 devices, without touching them; those that were offline follow later; a revoked key installs nothing',
  { timeout: within(300_000) },
  async () => {
    const first = await createReleaseFixture(api, ann, projectId)
    const token = await enrollmentToken()
    const fleet = await createFleet(token, first)
    const server = { url: api.config.urls.api, enrollmentToken: token }
    const gateways = ['gateway', 'gateway-offline'].map((name) => setUpAgent(server, [first.key.publicKey], { name }))
    const [gateway, lateGateway] = gateways as [AgentSetup, AgentSetup]
    const late = fleet.slice(-lateCount)
    const online = fleet.slice(0, -lateCount)
    const pollAll = (among: readonly SimulatedDevice[]) => Promise.all(among.map((device) => poll(device)))
    await pollAll(fleet)
    for (const one of gateways) await once(one)
    const lateNames = [...late.map(({ profile }) => profile.name), 'gateway-offline'].toSorted()

    // The first rotation. The devices of `late` and one gateway are offline from here on.
    await replace(first)
    const second = await createReleaseFixture(api, ann, projectId)
    // No device trusts the new key yet: a list by it would leave behind all of them.
    const early = await sendList(second)
    expect([early.status, early.error.details[0]?.code]).toEqual([422, 'untrusted'])
    await publish(first)
    await pollAll(online)
    await once(gateway)
    const waiting = (await facts()).coverage
    expect([waiting.total, waiting.trusting]).toEqual([fleetSize + 2, fleetSize + 1 - lateCount])
    expect(waiting.missing.map(({ name }) => name).toSorted()).toEqual(lateNames)
    expect(new Set(waiting.missing.map(({ follows }) => follows))).toEqual(new Set([true]))

    // A release by the old key is out when that is revoked: its rollout ends before a device gets it.
    const old = await first.signed(wanted(2))
    const stopped = await rollOut(old.id)
    const { text } = await api.call(releaseManifest, { releaseId: old.id }, { as: ann })
    const envelope: unknown = JSON.parse(text)
    await revoke(first)
    await publish(second)
    await pollAll(online)
    await once(gateway)
    expect((await api.call(rollouts.rollout, { rolloutId: stopped }, { as: ann })).body.state).toMatch(/^cancell/)
    for (const device of online) expect(device.trust.fingerprints()).toEqual([second.key.publicKey.fingerprint])

    // Who has its signed release and reaches the devices without this server gets nothing installed either.
    await Promise.all(online.map((device) => simulateUpdate(device, envelope, null)))
    await pollAll(online)
    for (const device of online) expect(device.store.state.installed).toBe(null)
    const { body: known } = await api.call(
      devices.devices,
      { projectId },
      { as: ann, query: { q: online[0]?.profile.name ?? '' } },
    )
    const { body: told } = await api.call(
      deviceUpdates.deviceUpdateEvents,
      { deviceId: known.devices[0]?.id ?? '' },
      { as: ann, query: { limit: 50 } },
    )
    expect(told.update_events).toContainEqual(
      expect.objectContaining({ type: 'verification_failed', reason_code: 'key_revoked' }),
    )

    // The second rotation, after which the key that those offline hold is two generations old.
    await replace(second)
    const third = await createReleaseFixture(api, ann, projectId)
    await publish(second)
    await revoke(second)
    await publish(third)
    await pollAll(online)
    await once(gateway)
    expect((await facts()).coverage).toMatchObject({ trusting: fleetSize + 1 - lateCount, total: fleetSize + 2 })

    await pollAll(late)
    await once(lateGateway)
    expect((await facts()).coverage).toEqual({ total: fleetSize + 2, trusting: fleetSize + 2, missing: [], ahead: [] })
    for (const device of fleet) {
      expect([device.trust.counter(), device.trust.fingerprints()]).toEqual([4, [third.key.publicKey.fingerprint]])
      expect((await checkIn(device)).key_list_available).toBe(false)
    }

    const release = await third.signed(wanted(3))
    await rollOut(release.id)
    await pollAll(fleet)
    for (const one of gateways) await once(one)
    expect(fleet.map(({ store }) => store.state.installed?.version)).toEqual(Array(fleetSize).fill(3))
    expect(gateways.map((one) => one.file('opt/app.bin'))).toEqual(['version 3', 'version 3'])
  },
)
