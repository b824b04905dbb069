import { beforeAll, describe, expect, it } from 'vitest'
import { concat, fromBase64, toBase64 } from './bytes'
import { configHash, readConfig } from './config'
import { generateSigningKey } from './private-key'
import type { PublicKey } from './public-key'

let key: PublicKey, p256: PublicKey
beforeAll(async () => {
  key = (await generateSigningKey('ed25519')).publicKey
  p256 = (await generateSigningKey('ecdsa-p256')).publicKey
})

const least = () => ({
  schema: 1,
  server_url: 'http://localhost:8080',
  hardware_model: 'gw-imx8m',
  enrollment_token: `enr_${'a'.repeat(49)}`,
  public_keys: [key],
  persistent_directory: '/var/lib/teasel',
  install_root: '/',
})
const known = { device_id: '01JNV4E3S0000000000000REKE', device_token: `dvc_${'b'.repeat(49)}` }
const problemsOf = async (changes: object) => {
  const read = await readConfig({ ...least(), ...changes })
  return 'problems' in read ? read.problems.map(({ field, code }) => `${field}: ${code}`) : []
}

describe('device.json', () => {
  it('accepts the minimal configuration and fills in the documented defaults', async () => {
    expect(await readConfig(least())).toMatchObject({
      config: { polling_interval_s: 3600, temporary_directory: '/tmp', stop_after: 'none', log_level: 'info' },
    })
  })

  it('takes a pre-enrolled device', async () => {
    expect(await problemsOf({ enrollment_token: undefined, ...known })).toEqual([])
  })

  it('takes a compressed P-256 key', async () => {
    const raw = fromBase64(p256.public_key)!
    const compressed = toBase64(concat(Uint8Array.of(2 + (raw[64]! & 1)), raw.subarray(1, 33)))
    expect(await problemsOf({ public_keys: [{ ...p256, public_key: compressed }] })).toEqual([])
  })

  it.each([
    ['an unknown key', { colour: 'red' }, ['colour: unknown_field']],
    ['an unknown schema', { schema: 2 }, ['schema: not_listed']],
    ['no keys', { public_keys: [] }, ['public_keys: size']],
    ['nine keys', () => ({ public_keys: Array.from({ length: 9 }, () => key) }), ['public_keys: too_many']],
    ['the same key twice', () => ({ public_keys: [key, key] }), ['public_keys.1: duplicate']],
    [
      'a key with another fingerprint',
      () => ({ public_keys: [{ ...key, fingerprint: 'a'.repeat(64) }] }),
      ['public_keys.0.fingerprint: fingerprint'],
    ],
    [
      'an Ed25519 key called P-256',
      () => ({ public_keys: [{ ...key, algorithm: 'ecdsa-p256' }] }),
      ['public_keys.0.public_key: key'],
    ],
    [
      'an unknown algorithm',
      () => ({ public_keys: [{ ...key, algorithm: 'rsa-3072' }] }),
      ['public_keys.0.algorithm: not_listed'],
    ],
    [
      'a private field in a key',
      () => ({ public_keys: [{ ...key, private_key: 'x' }] }),
      ['public_keys.0.private_key: unknown_field'],
    ],
    ['no way in', { enrollment_token: undefined }, ['enrollment_token: required']],
    ['two ways in', known, ['enrollment_token: excluded']],
    [
      'half a way in',
      { enrollment_token: undefined, device_id: known.device_id },
      ['device_token: required', 'enrollment_token: required'],
    ],
    ['a token of another kind', { enrollment_token: `dvc_${'a'.repeat(49)}` }, ['enrollment_token: token']],
    ['a server with a path', { server_url: 'https://fleet.example/api' }, ['server_url: origin']],
    ['a server over plain http', { server_url: 'http://fleet.example' }, ['server_url: origin']],
    ['a public server that begins like a private one', { server_url: 'http://127.evil.example' }, ['server_url: origin']],
    ['a server with a password', { server_url: 'https://a:b@fleet.example' }, ['server_url: origin']],
    ['a server of another scheme', { server_url: 'ftp://fleet.example' }, ['server_url: origin']],
    ['the root as own directory', { persistent_directory: '/' }, ['persistent_directory: not_root']],
    ['a relative directory', { persistent_directory: 'state' }, ['persistent_directory: absolute']],
    ['a directory with ..', { persistent_directory: '/var/../etc' }, ['persistent_directory: absolute']],
    ['polling too often', { polling_interval_s: 29 }, ['polling_interval_s: range']],
    ['polling too seldom', { polling_interval_s: 604_801 }, ['polling_interval_s: range']],
    ['polling half seconds', { polling_interval_s: 60.5 }, ['polling_interval_s: type']],
    ['no retries', { download_retries: 0 }, ['download_retries: range']],
    ['an unknown mode', { update_mode: 'delta' }, ['update_mode: not_listed']],
    ['slots without the mode', { slots: { a: '/dev/a', b: '/dev/b' } }, ['slots: excluded']],
    ['one slot twice', { update_mode: 'ab_rootfs', slots: { a: '/dev/a', b: '/dev/a' } }, ['slots.b: distinct']],
    ['a fallback over plain http', { fallback_manifest_url: 'http://fleet.example/m' }, ['fallback_manifest_url: https']],
    ['logs as text', { logs_enabled: 'yes' }, ['logs_enabled: type']],
    ['no model', { hardware_model: undefined }, ['hardware_model: required']],
  ])('names field and rule: %s', async (_, changes, problems) => {
    expect(await problemsOf(typeof changes === 'function' ? changes() : changes)).toEqual(problems)
  })

  it.each([null, 1, 'text', []])('refuses %j', async (value) => expect(await readConfig(value)).toHaveProperty('problems'))

  it('has one hash, whatever the order of its keys', async () => {
    const config = least()
    expect(await configHash(Object.fromEntries(Object.entries(config).toReversed()))).toBe(await configHash(config))
    expect(await configHash({ ...config, name: 'x' })).not.toBe(await configHash(config))
  })
})
