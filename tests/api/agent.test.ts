import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { eq } from 'drizzle-orm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildAgent, type AgentSetup, setUpAgent, type Running, start } from '../../agent/testing/agent-process'
import * as access from '../../contract/fleet/enrollment-tokens'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { sign } from '../../contract/device/dsse'
import { payloadType } from '../../contract/device/manifest'
import { generateSigningKey, type SigningKey } from '../../contract/device/private-key'
import { pemOf } from '../../contract/device/public-key'
import * as deviceLogs from '../../contract/fleet/device-logs'
import * as deviceUpdates from '../../contract/updates/device-updates'
import * as devices from '../../contract/fleet/devices'
import * as keys from '../../contract/fleet/keys'
import * as releaseAssets from '../../contract/updates/release-assets'
import * as releaseSigning from '../../contract/updates/release-signing'
import * as releases from '../../contract/updates/releases'
import * as rolloutPlans from '../../contract/updates/rollout-plans'
import * as rolloutSteps from '../../contract/updates/rollout-steps'
import * as rollouts from '../../contract/updates/rollouts'
import { assets } from '../../server/updates/schema/releases'
import { createTestApi, type TestApi } from '../support/api'
import type { Person } from '../support/people'
import { freePort } from '../support/free-port'

let api: TestApi
let ann: Person
let projectId: string
let agent: string
let key: SigningKey
let keyId: string
let url: string
const running: Running[] = []

beforeAll(async () => {
  agent = await buildAgent()
  key = await generateSigningKey('ed25519')
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  await api.app.listen({ port, host: '127.0.0.1' })
  url = api.config.urls.api
  const added = await api.call(
    keys.createSigningKey,
    { projectId },
    { as: ann, body: { name: 'release', algorithm: 'ed25519', public_key_pem: pemOf(key.publicKey) } },
  )
  expect(added.status, added.text).toBe(201)
  keyId = added.body.id
})
afterAll(async () => {
  for (const one of running) await one.kill('SIGKILL')
  await api.close()
})

type File = { name: string; bytes: string; location?: string; kind?: 'payload' | 'hook' }

/** A signed release with its bytes stored, through the calls of the console; only the upload is shortened. */
const released = async (version: number, files: File[], hooks: { post_reboot?: string } = {}) => {
  const made = await api.call(
    releases.createRelease,
    { projectId },
    { as: ann, body: { name: `Gateway ${version}`, version, type: 'file', hardware_models: ['gw-imx8m'] } },
  )
  expect(made.status, made.text).toBe(201)
  const releaseId = made.body.id
  const ids = new Map<string, string>()
  for (const { name, bytes, location, kind = 'payload' } of files) {
    const body = { name, kind, size: bytes.length, install_location: location ?? null }
    const asset = await api.call(releaseAssets.createAsset, { releaseId }, { as: ann, body })
    expect(asset.status, asset.text).toBe(201)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await api.deps.storage.write(sha256, Readable.from([Buffer.from(bytes)]))
    await api.db.update(assets).set({ state: 'ready', sha256, storageKey: sha256 }).where(eq(assets.id, asset.body.id))
    ids.set(name, asset.body.id)
  }
  if (hooks.post_reboot !== undefined) {
    const { body } = await api.call(releases.release, { releaseId }, { as: ann })
    const changed = await api.call(
      releases.updateRelease,
      { releaseId },
      {
        as: ann,
        headers: { 'if-match': `"${body.revision}"` },
        body: { hooks: { post_reboot: ids.get(hooks.post_reboot) ?? null } },
      },
    )
    expect(changed.status, changed.text).toBe(200)
  }
  const built = await api.call(releaseSigning.finalizeRelease, { releaseId }, { as: ann, body: {} })
  expect(built.status, built.text).toBe(200)
  const { signature } = await sign(key, payloadType, fromBase64(built.body.to_sign.payload_base64)!)
  const signedRelease = await api.call(
    releaseSigning.signRelease,
    { releaseId },
    { as: ann, body: { key_id: keyId, signature_base64: toBase64(signature) } },
  )
  expect(signedRelease.status, signedRelease.text).toBe(200)
  return releaseId
}

const rolledOut = async (releaseId: string) => {
  const plan = { target: { everything: true }, waves: [{ kind: 'percent' as const, value: 100, gate: rolloutPlans.defaultGate }] }
  const seen = await api.call(rolloutPlans.previewRollout, { releaseId }, { as: ann, body: plan })
  expect(seen.status, seen.text).toBe(200)
  const made = await api.call(
    rollouts.createRollout,
    { releaseId },
    { as: ann, body: { ...plan, preview_hash: seen.body.preview_hash } },
  )
  expect(made.status, made.text).toBe(201)
  const begun = await api.call(rolloutSteps.startRollout, { rolloutId: made.body.id }, { as: ann })
  expect(begun.status, begun.text).toBe(200)
  return made.body.id
}

const aDevice = async (changes: Parameters<typeof setUpAgent>[2] = {}): Promise<AgentSetup> => {
  const made = await api.call(
    access.createEnrollmentToken,
    { projectId },
    { as: ann, body: { name: `line ${running.length}`, auto_accept: true } },
  )
  expect(made.status, made.text).toBe(201)
  return setUpAgent({ url, enrollmentToken: made.body.token }, [key.publicKey], changes)
}
const once = async (device: AgentSetup) => {
  const one = start(agent, ['--config', device.configPath, '--once'])
  running.push(one)
  return { code: await one.ended, output: one.output() }
}
const eventsOf = async (deviceId: string) => {
  const { body } = await api.call(deviceUpdates.deviceUpdateEvents, { deviceId }, { as: ann, query: { limit: 100 } })
  return body.update_events.toReversed()
}

it('a real agent enrolls, installs a signed release of the real server, and the server knows each step', async () => {
  const device = await aDevice({ name: 'gw-north' })
  const enrolled = await once(device)
  expect(enrolled.code, enrolled.output).toBe(0)
  const { body: list } = await api.call(devices.devices, { projectId }, { as: ann })
  const deviceId = list.devices[0]?.id ?? ''
  expect(list.devices[0]).toMatchObject({
    name: 'gw-north',
    connectivity: 'online',
    installed: null,
    client: { name: 'teasel-agent' },
  })

  await rolledOut(await released(1, [{ name: 'app', bytes: 'first', location: '/opt/app' }]))
  const first = await once(device)
  expect(first.code, first.output).toBe(0)
  expect(device.file('opt/app')).toBe('first')
  const types = (await eventsOf(deviceId)).map(({ type }) => type).filter((type) => !type.endsWith('_progress'))
  expect(types).toEqual([
    'update_offered',
    'update_accepted',
    'download_started',
    'download_completed',
    'verification_started',
    'verification_passed',
    'install_started',
    'install_completed',
    'validation_started',
    'validation_passed',
    'update_confirmed',
  ])
  const { body: shown } = await api.call(devices.device, { deviceId }, { as: ann })
  expect(shown).toMatchObject({ installed: { version: 1, confirmed: true }, update: { state: 'succeeded' } })

  await rolledOut(
    await released(
      2,
      [
        { name: 'app', bytes: 'second', location: '/opt/app' },
        { name: 'check.sh', bytes: '#!/bin/sh\nexit 4\n', kind: 'hook' },
      ],
      { post_reboot: 'check.sh' },
    ),
  )
  const second = await once(device)
  expect(second.code, second.output).toBe(1)
  expect(device.file('opt/app')).toBe('first')
  const after = await api.call(devices.device, { deviceId }, { as: ann })
  expect(after.body).toMatchObject({
    installed: { version: 1 },
    update: { state: 'rolled_back', error_code: 'post_reboot_failed' },
  })

  const logs = await api.call(deviceLogs.deviceSystemLogs, { deviceId }, { as: ann, query: {} })
  expect(logs.body.lines.map(({ message }) => message).join('\n')).toContain('Returned to the previous release')
})

it('the reports of a device that has lost its state count: they continue after those that the server has', async () => {
  const device = await aDevice({ name: 'gw-south' })
  await once(device)
  await rolledOut(await released(11, [{ name: 'app', bytes: 'eleventh', location: '/opt/app' }]))
  expect((await once(device)).code).toBe(0)
  rmSync(join(device.config.persistent_directory, 'state.json'))
  await rolledOut(await released(12, [{ name: 'app', bytes: 'twelfth', location: '/opt/app' }]))
  const last = await once(device)
  expect(last.code, last.output).toBe(0)
  const { body } = await api.call(devices.devices, { projectId }, { as: ann })
  expect(body.devices.find(({ name }) => name === 'gw-south')).toMatchObject({
    installed: { version: 12, confirmed: true },
    update: { state: 'succeeded', version: 12 },
  })
})
