import fc from 'fast-check'
import { validate } from 'superstruct'
import { beforeAll, describe, expect, it } from 'vitest'
import { DeviceConfigForm } from './configs'
import { readConfig } from '../device/config'
import { logLevels, maxTrustedKeys, stopAfters, updateModes } from '../device/config-fields'
import { generateSigningKey } from '../device/private-key'
import type { PublicKey } from '../device/public-key'
import { configOf } from './generated-config'
import '../../tests/support/fixed-seed'

const ids = Array.from({ length: maxTrustedKeys + 2 }, (_, n) => `01JNV4E3S000000000000000${String(n).padStart(2, '0')}`)
const projectId = '01JNV4E3S0000000000000REKE'
const keys = new Map<string, PublicKey>()
beforeAll(async () => {
  for (const id of ids) keys.set(id, (await generateSigningKey('ed25519')).publicKey)
})

const good = {
  name: 'Gateway 7',
  enrollment: 'pre_enrolled',
  device_id: projectId,
  device_token: `dvc_${'b'.repeat(49)}`,
  hardware_model: 'gw-imx8m',
  server_url: 'https://devices.example.com',
  public_key_ids: ids.slice(0, 2),
  persistent_directory: '/var/lib/teasel',
  install_root: '/',
  update_mode: 'file',
  polling_interval_s: 3600,
  network_timeout_s: 30,
  download_retries: 10,
  metrics_interval_s: 60,
  logs_enabled: true,
  log_level: 'info',
  single_check: false,
  stop_after: 'none',
} as const

// Texts as the form sends them: trimmed.
const trimmed = (text: fc.Arbitrary<string>) => text.map((value) => value.trim())
const part = fc.constantFrom('a', 'var', '..', '.', '', 'état', '..a', '\u0000', '\n', 'x'.repeat(4096), '\ud800')
const path = trimmed(
  fc.oneof(
    fc.constantFrom('/', '//', '/var/lib/teasel', 'var/lib', '', '~', '/tmp', '/tmp/teasel'),
    fc.array(part, { maxLength: 4 }).map((parts) => `/${parts.join('/')}`),
    fc.string(),
  ),
)
const host = fc.constantFrom(
  'localhost',
  'fleet.example.com',
  '127.0.0.1',
  '127.evil.example',
  '10.1.2.3',
  '[::1]',
  'a b',
  'gw',
  '',
)
const url = trimmed(
  fc.oneof(
    fc
      .tuple(
        fc.constantFrom('https', 'http', 'ftp', 'HTTPS'),
        fc.constantFrom('', 'a@', 'a:b@'),
        host,
        fc.constantFrom('', ':8080', ':x', ':443'),
        fc.constantFrom('', '/', '//', '/api', '?q', '#x'),
      )
      .map(([scheme, user, name, port, rest]) => `${scheme}://${user}${name}${port}${rest}`),
    fc.string(),
  ),
)
const words = (max: number) =>
  trimmed(
    fc.oneof(fc.string(), fc.constantFrom('x'.repeat(max), 'x'.repeat(max + 1), '', '\u0007', 'a b', '\ud800', '𝒳'.repeat(max))),
  )
const number = (min: number, max: number) =>
  fc.oneof(fc.constantFrom(min - 1, min, max, max + 1, min + 0.5, NaN, 0, -1, undefined), fc.integer())
const listed = (values: readonly string[]) => fc.oneof(fc.constantFrom(...values), fc.constantFrom('', 'other', undefined))

/** Values of every field, good and bad. */
const values = {
  name: words(100),
  enrollment: fc.constant('pre_enrolled'),
  device_id: fc.constantFrom(projectId, projectId.toLowerCase(), '', undefined),
  device_token: fc.constantFrom(good.device_token, `${good.device_token}x`, `enr_${'b'.repeat(49)}`, '', undefined),
  hardware_model: fc.oneof(words(63), words(64)),
  server_url: url,
  public_key_ids: fc.array(fc.constantFrom(...ids), { maxLength: maxTrustedKeys + 2 }),
  persistent_directory: path,
  install_root: path,
  update_mode: listed(updateModes),
  slots: fc.option(fc.record({ a: path, b: path }), { nil: undefined }),
  reboot_command: fc.option(words(1024), { nil: undefined }),
  identity_path: fc.option(path, { nil: undefined }),
  fallback_manifest_url: fc.option(url, { nil: undefined }),
  polling_interval_s: number(30, 604_800),
  network_timeout_s: number(5, 600),
  download_retries: number(1, 100),
  metrics_interval_s: number(10, 3600),
  logs_enabled: fc.constantFrom<unknown>(true, false, 'true', undefined),
  log_level: listed(logLevels),
  single_check: fc.constantFrom<unknown>(true, false, 'on'),
  stop_after: listed(stopAfters),
} satisfies Record<
  keyof typeof good | 'slots' | 'reboot_command' | 'identity_path' | 'fallback_manifest_url',
  fc.Arbitrary<unknown>
>
type Name = keyof typeof values

/** Whether the device accepts the device.json of a form, whatever the form says. State in /tmp is marked as a trial. */
const deviceAccepts = async (form: Record<string, unknown>) => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- also what the form refuses is turned into a configuration
  const given = form as unknown as DeviceConfigForm
  const { device_id = '', device_token = '' } = given
  const trusted = given.public_key_ids.flatMap((id) => keys.get(id) ?? [])
  return 'config' in (await readConfig(configOf(given, projectId, { device_id, device_token }, trusted)))
}
const formAccepts = (form: unknown) => validate(form, DeviceConfigForm, { coerce: true })[0] === undefined

describe('the form of the config generator', () => {
  it('accepts the form that the others are made of', async () => {
    expect([formAccepts(good), await deviceAccepts(good)]).toEqual([true, true])
  })

  it.each(Object.keys(values) as Name[])('accepts a value of %s if and only if the device does', async (name) => {
    const seen = { accepted: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(values[name], fc.constantFrom(...updateModes), async (value, update_mode) => {
        const form = { ...good, update_mode, trial: true, [name]: value }
        const accepted = formAccepts(form)
        seen[accepted ? 'accepted' : 'refused']++
        expect(accepted, JSON.stringify(form)).toBe(await deviceAccepts(form))
      }),
      { numRuns: 300 },
    )
    expect(seen.accepted).toBeGreaterThan(0)
    if (name !== 'enrollment') expect(seen.refused).toBeGreaterThan(0)
  })

  it('accepts a whole form of drawn values if and only if the device does', async () => {
    const some = fc.record(values, { requiredKeys: [] })
    await fc.assert(
      fc.asyncProperty(some, async (drawn) => {
        const form = { ...good, trial: true, ...drawn }
        expect(formAccepts(form), JSON.stringify(form)).toBe(await deviceAccepts(form))
      }),
      { numRuns: 1000 },
    )
  })
})
