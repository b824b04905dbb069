import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildAgent, start } from '../../agent/testing/agent-process'
import { createDeviceConfig } from '../../contract/fleet/configs'
import { generateSigningKey } from '../../contract/device/private-key'
import { keyAlgorithms, pemOf } from '../../contract/device/public-key'
import { createDevice, devices } from '../../contract/fleet/devices'
import { createSigningKey } from '../../contract/fleet/keys'
import { createTestApi, type TestApi } from '../support/api'
import { freePort } from '../support/free-port'
import { pairwise } from '../support/pairwise'
import type { Person } from '../support/people'

const folder = mkdtempSync(join(tmpdir(), 'teasel-configs-'))
const rows = pairwise({
  enrollment: ['group', 'pre_enrolled'],
  mode: [
    { update_mode: 'file' },
    { update_mode: 'ab_rootfs' },
    { update_mode: 'ab_rootfs', slots: { a: join(folder, 'slot-a'), b: join(folder, 'slot-b') } },
  ],
  keys: [1, 8],
  limits: [
    { polling_interval_s: 30, network_timeout_s: 5, download_retries: 1, metrics_interval_s: 10 },
    { polling_interval_s: 604_800, network_timeout_s: 600, download_retries: 100, metrics_interval_s: 3600 },
  ],
  logs_enabled: [true, false],
  log_level: ['emerg', 'debug'],
  single_check: [true, false],
  stop_after: ['none', 'download', 'install'],
  reboot_command: [undefined, 'systemctl reboot'],
  hasIdentity: [true, false],
  fallback_manifest_url: [undefined, 'https://mirror.example.com/manifest.json'],
} as const)

let api: TestApi
let ann: Person
let projectId: string
let agent: string
const keyIds: string[] = []

beforeAll(async () => {
  agent = await buildAgent()
  const port = await freePort()
  api = await createTestApi({ TEASEL_API_PORT: String(port) })
  api.advance((Date.now() - api.deps.clock().getTime()) / 1000)
  ann = await api.person()
  projectId = await api.project({ ownerId: ann.id })
  await api.app.listen({ port, host: '127.0.0.1' })
  for (let n = 0; n < 8; n++) {
    const algorithm = keyAlgorithms[n % 2] ?? 'ed25519'
    const { publicKey } = await generateSigningKey(algorithm)
    const body = { name: `release ${n}`, algorithm, public_key_pem: pemOf(publicKey) }
    keyIds.push((await api.call(createSigningKey, { projectId }, { as: ann, body })).body.id)
  }
})
afterAll(async () => {
  await api.close()
  rmSync(folder, { recursive: true })
})

it('has at most 16 combinations', () => expect(rows.length).toBeLessThanOrEqual(16))

it.each(rows.map((row, n) => [n, row] as const))(
  'the agent enrolls with the file of the config generator, combination %i',
  async (n, { mode, keys, limits, hasIdentity, enrollment, reboot_command, fallback_manifest_url, ...choices }) => {
    const model = 'gw-imx8m'
    const serial = `SN-${n}`
    const identity_path = join(folder, `serial-${n}`)
    writeFileSync(identity_path, `${serial}\n`)
    const known = { name: `Device ${n}`, serial_number: serial, hardware_model: model }
    const made = enrollment === 'group' ? undefined : (await api.call(createDevice, { projectId }, { as: ann, body: known })).body
    const body = {
      name: `Device ${n}`,
      enrollment,
      ...(made && { device_id: made.id, device_token: made.device_token }),
      hardware_model: model,
      server_url: api.config.urls.api,
      public_key_ids: keyIds.slice(0, keys),
      trial: true,
      persistent_directory: join(folder, `state-${n}`),
      install_root: join(folder, `root-${n}`),
      ...mode,
      ...limits,
      ...choices,
      ...(reboot_command !== undefined && { reboot_command }),
      ...(fallback_manifest_url !== undefined && { fallback_manifest_url }),
      ...(hasIdentity && { identity_path }),
    }
    const generated = await api.call(createDeviceConfig, { projectId }, { as: ann, body })
    expect(generated.status, generated.text).toBe(201)
    const { config, sha256 } = generated.body
    const path = join(folder, `device-${n}.json`)
    writeFileSync(path, JSON.stringify(config))
    // A run that is to check once ends by itself.
    const run = start(agent, ['--config', path, ...(choices.single_check ? [] : ['--once'])])
    const code = await run.ended
    expect(code, run.output()).toBe(0)
    const listed = (await api.call(devices, { projectId }, { as: ann, query: { sort: '-created_at', limit: 1 } })).body.devices
    expect(listed).toHaveLength(1)
    // The agent has read the whole file: it reports the hash of what it runs by.
    expect(listed[0]).toMatchObject({ hardware_model: model, connectivity: 'online', client: { config_hash: sha256 } })
    if (hasIdentity || made) expect(listed[0]?.serial_number).toBe(serial)
  },
)
