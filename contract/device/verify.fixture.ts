import canonicalize from 'canonicalize'
import { toBase64, utf8 } from './bytes'
import { type Envelope, sign } from './dsse'
import { type Manifest, manifestBytes, payloadType, createEnvelope, type TrustedKey } from './manifest'
import { aFile, aManifest, day, ids, madeAt, theDevice } from './manifest.fixture'
import { generateSigningKey, type SigningKey } from './private-key'
import type { Refusal } from './refusals'
import type { FailureCode } from './update-events'
import type { DeviceFacts } from './verify'

const ours = await generateSigningKey('ed25519')
export const second = await generateSigningKey('ed25519')
export const ecdsa = await generateSigningKey('ecdsa-p256')
export const stranger = await generateSigningKey('ed25519')
/** The keys that the device trusts, unless a vector has others. */
export const keys: readonly TrustedKey[] = [ours.publicKey, second.publicKey, ecdsa.publicKey]

const sealed = async (payload: Uint8Array | string, by: readonly SigningKey[], type: string = payloadType): Promise<Envelope> => {
  const bytes = typeof payload === 'string' ? utf8(payload) : payload
  const signatures = await Promise.all(by.map((key) => sign(key, type, bytes)))
  return { ...createEnvelope(bytes, signatures), payloadType: type }
}
export const good = (changes: Partial<Manifest> = {}, by: readonly SigningKey[] = [ours]) =>
  sealed(manifestBytes(aManifest(changes)), by)
/** A manifest signed with a trusted key although it breaks the schema: the rules must hold even then. */
const signedAs = (change: (manifest: Record<string, unknown>) => void) => {
  const value: Record<string, unknown> = structuredClone(aManifest())
  change(value)
  return sealed(canonicalize(value) ?? '', [ours])
}
const file = (changes: object) => signedAs((manifest) => void (manifest['files'] = [{ ...aFile(), ...changes }]))
const source = () => canonicalize(aManifest()) ?? ''
export const flipped = (base64: string, at: number) => {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  bytes[at] = (bytes[at] ?? 0) ^ 1
  return toBase64(bytes)
}
const resigned = (envelope: Envelope, sig: string): Envelope => ({
  ...envelope,
  signatures: [{ ...envelope.signatures[0]!, sig }],
})

/** Release metadata and the facts of a device, for which every verifier must come to the same verdict. */
export type Vector = {
  title: string
  envelope: () => unknown
  facts?: Partial<DeviceFacts>
  trust?: () => TrustedKey[]
}
export type Given = { envelope: unknown; keys: readonly TrustedKey[]; facts: DeviceFacts }
/** What a verifier is given of a vector. */
export const givenBy = async ({ envelope, facts, trust }: Vector): Promise<Given> => ({
  envelope: await envelope(),
  keys: trust?.() ?? keys,
  facts: theDevice(facts),
})
type RefusedVector = Vector & { code: FailureCode; reason: Refusal }

export const accepted: readonly Vector[] = [
  { title: 'a newer release signed by the first key', envelope: () => good() },
  { title: 'the same by the second key', envelope: () => good({}, [second]) },
  { title: 'the same by an ECDSA P-256 key', envelope: () => good({}, [ecdsa]) },
  { title: 'two signatures, both ours', envelope: () => good({}, [ours, ecdsa]) },
  { title: "a stranger's signature before ours", envelope: () => good({}, [stranger, ours]) },
  { title: "a stranger's signature after ours", envelope: () => good({}, [ours, stranger]) },
  {
    title: 'a broken signature by one key beside a good one by another',
    envelope: async () => {
      const both = await good({}, [ours, second])
      return { ...both, signatures: [{ ...both.signatures[0]!, sig: flipped(both.signatures[0]!.sig, 0) }, both.signatures[1]!] }
    },
  },
  {
    title: 'a revoked key beside a good one',
    envelope: () => good({}, [ours, second]),
    trust: () => [{ ...ours.publicKey, revoked: true }, second.publicKey],
  },
  { title: 'a device on which nothing is installed', envelope: () => good(), facts: { installedVersion: null } },
  { title: 'the second model of the list', envelope: () => good(), facts: { hardwareModel: 'gw-imx8m-lte' } },
  { title: 'a device that does not know its project yet', envelope: () => good(), facts: { projectId: null } },
  { title: 'the last second before expiry', envelope: () => good(), facts: { now: Date.parse('2027-03-01T11:59:59Z') } },
  {
    title: 'going back from a listed version',
    envelope: () => good({ allow_downgrade_from: [13, 14] }),
    facts: { installedVersion: 14 },
  },
  {
    title: 'an older version that the installed manifest lists',
    envelope: () => good(),
    facts: { installedVersion: 14, mayReturnTo: [11, 12] },
  },
  {
    title: 'a listed older version with the burned rollback number',
    envelope: () => good({ rollback_version: 2 }),
    facts: { installedVersion: 14, mayReturnTo: [12], rollbackVersion: 2 },
  },
  { title: 'a release that says what it may return to', envelope: () => good({ may_return_to: [9, 11] }) },
  { title: 'a release that may return to nothing', envelope: () => good({ may_return_to: [] }) },
  { title: 'the stepping stone is installed', envelope: () => good({ min_installed_version: 11 }) },
  {
    title: 'the rollback number is the burned one',
    envelope: () => good({ rollback_version: 3 }),
    facts: { rollbackVersion: 3 },
  },
  {
    title: 'the rollback number is above the burned one',
    envelope: () => good({ rollback_version: 4 }),
    facts: { rollbackVersion: 3 },
  },
  { title: 'a name outside ASCII', envelope: () => good({ name: 'Türsteuerung 🚪' }) },
  {
    title: 'expiry in another time zone',
    envelope: () => good({ expires_at: '2027-03-01T14:00:00+02:00' }),
    facts: { now: Date.parse('2027-03-01T11:59:59Z') },
  },
]

const malformed = { code: 'signature_invalid', reason: 'envelope_malformed' } as const
const wrong = { code: 'signature_invalid', reason: 'signature_wrong' } as const
const unreadable = { code: 'signature_invalid', reason: 'not_canonical' } as const
const schema = { code: 'signature_invalid', reason: 'schema' } as const

export const refused: readonly RefusedVector[] = [
  // Not an envelope
  { title: 'nothing', envelope: () => undefined, ...malformed },
  { title: 'null', envelope: () => null, ...malformed },
  { title: 'a text', envelope: () => 'manifest', ...malformed },
  { title: 'a list', envelope: () => [], ...malformed },
  { title: 'no signatures', envelope: async () => ({ ...(await good()), signatures: [] }), ...malformed },
  {
    title: 'seventeen signatures',
    envelope: async () => ({
      ...(await good()),
      signatures: Array.from({ length: 17 }, () => ({ keyid: 'a'.repeat(64), sig: 'AAAA' })),
    }),
    ...malformed,
  },
  { title: 'an unknown field of the envelope', envelope: async () => ({ ...(await good()), extra: 1 }), ...malformed },
  {
    title: 'a key id in capitals',
    envelope: async () => {
      const it = await good()
      return { ...it, signatures: [{ ...it.signatures[0]!, keyid: it.signatures[0]!.keyid.toUpperCase().replace(/^./, 'A') }] }
    },
    ...malformed,
  },
  { title: 'payload in base64url', envelope: async () => ({ ...(await good()), payload: '-_-_' }), ...malformed },
  {
    title: 'payload without padding',
    envelope: async () => {
      const it = await good({ name: 'padding', display_version: '1.0' })
      return { ...it, payload: `${it.payload.replace(/=+$/, '')}A` }
    },
    ...malformed,
  },
  {
    title: 'payload with a line break',
    envelope: async () => {
      const it = await good()
      return { ...it, payload: `${it.payload.slice(0, 64)}\n${it.payload.slice(64)}` }
    },
    ...malformed,
  },
  { title: 'payload with set bits after its end', envelope: async () => ({ ...(await good()), payload: 'AB==' }), ...malformed },
  {
    title: 'payload above the limit',
    envelope: async () => ({ ...(await good()), payload: 'A'.repeat(1_600_000) }),
    ...malformed,
  },

  // Another type
  {
    title: 'payload type changed after signing',
    envelope: async () => ({ ...(await good()), payloadType: 'application/vnd.in-toto+json' }),
    code: 'signature_invalid',
    reason: 'payload_type',
  },
  {
    title: 'payload type changed before signing',
    envelope: () => sealed(source(), [ours], 'application/json'),
    code: 'signature_invalid',
    reason: 'payload_type',
  },
  {
    title: 'signed as another type and relabelled',
    envelope: async () => ({ ...(await sealed(source(), [ours], 'application/json')), payloadType }),
    ...wrong,
  },

  // Who signed
  { title: 'signed by a stranger', envelope: () => good({}, [stranger]), code: 'key_unknown', reason: 'key_unknown' },
  { title: 'no trusted keys at all', envelope: () => good(), trust: () => [], code: 'key_unknown', reason: 'key_unknown' },
  {
    title: "a stranger's signature under our key id",
    envelope: async () => {
      const it = await good({}, [stranger])
      return { ...it, signatures: [{ ...it.signatures[0]!, keyid: ours.publicKey.fingerprint }] }
    },
    ...wrong,
  },
  {
    title: "our second key's signature under the first key's id",
    envelope: async () => {
      const it = await good({}, [second])
      return { ...it, signatures: [{ ...it.signatures[0]!, keyid: ours.publicKey.fingerprint }] }
    },
    ...wrong,
  },
  {
    title: 'signed by a revoked key',
    envelope: () => good(),
    trust: () => [{ ...ours.publicKey, revoked: true }],
    code: 'key_revoked',
    reason: 'key_revoked',
  },
  {
    title: 'a key of small order that anybody can sign for',
    envelope: async () => {
      const it = await good()
      return resigned({ ...it, signatures: [{ ...it.signatures[0]!, keyid: 'b'.repeat(64) }] }, toBase64(new Uint8Array(64)))
    },
    trust: () => [{ algorithm: 'ed25519', public_key: toBase64(new Uint8Array(32)), fingerprint: 'b'.repeat(64) }],
    ...wrong,
  },
  {
    title: 'an Ed25519 key listed as P-256',
    envelope: () => good(),
    trust: () => [{ ...ours.publicKey, algorithm: 'ecdsa-p256' }],
    ...wrong,
  },

  // Forged
  {
    title: 'one bit of the signature',
    envelope: async () => {
      const it = await good()
      return resigned(it, flipped(it.signatures[0]!.sig, 10))
    },
    ...wrong,
  },
  {
    title: 'the last bit of an ECDSA signature',
    envelope: async () => {
      const it = await good({}, [ecdsa])
      return resigned(it, flipped(it.signatures[0]!.sig, 63))
    },
    ...wrong,
  },
  {
    title: 'an ECDSA signature of zeros',
    envelope: async () => resigned(await good({}, [ecdsa]), toBase64(new Uint8Array(64))),
    ...wrong,
  },
  {
    title: 'one bit of the payload',
    envelope: async () => {
      const it = await good()
      return { ...it, payload: flipped(it.payload, 30) }
    },
    ...wrong,
  },
  {
    title: 'a higher version written into a signed payload',
    envelope: async () => {
      const it = await good()
      return { ...it, payload: toBase64(utf8(source().replace('"version":12', '"version":99'))) }
    },
    ...wrong,
  },
  {
    title: 'the signature of another manifest',
    envelope: async () => resigned(await good(), (await good({ version: 13 })).signatures[0]!.sig),
    ...wrong,
  },
  {
    title: 'a truncated payload',
    envelope: async () => {
      const it = await good()
      return { ...it, payload: toBase64(utf8(source().slice(0, -40))) }
    },
    ...wrong,
  },
  { title: 'an empty payload', envelope: async () => ({ ...(await good()), payload: '' }), ...wrong },
  {
    title: 'a truncated signature',
    envelope: async () => {
      const it = await good()
      return resigned(it, toBase64(Uint8Array.from(atob(it.signatures[0]!.sig), (c) => c.charCodeAt(0)).subarray(0, 63)))
    },
    ...wrong,
  },
  { title: 'an empty signature', envelope: async () => resigned(await good(), ''), ...wrong },
  { title: 'a signature in base64url', envelope: async () => resigned(await good(), `-_${'A'.repeat(84)}==`), ...wrong },

  // Signed, but not the one canonical text
  { title: 'spaces between the fields', envelope: () => sealed(JSON.stringify(aManifest(), null, 1), [ours]), ...unreadable },
  { title: 'fields in another order', envelope: () => sealed(JSON.stringify(aManifest()), [ours]), ...unreadable },
  {
    title: 'a field twice, the last one good',
    envelope: () => sealed(source().replace('"version":12', '"version":99,"version":12'), [ours]),
    ...unreadable,
  },
  {
    title: 'a number written with an exponent',
    envelope: () => sealed(source().replace('"size":4096', '"size":4.096e3'), [ours]),
    ...unreadable,
  },
  {
    title: 'a number written with a fraction',
    envelope: () => sealed(source().replace('"version":12', '"version":12.0'), [ours]),
    ...unreadable,
  },
  {
    title: 'an escape that is not needed',
    envelope: () => sealed(source().replace('Gateway', '\\u0047ateway'), [ours]),
    ...unreadable,
  },
  { title: 'a lone surrogate', envelope: () => sealed(source().replace('Gateway', '\\ud800'), [ours]), ...unreadable },
  { title: 'bytes that are not UTF-8', envelope: () => sealed(Uint8Array.of(0x7b, 0xff, 0x7d), [ours]), ...unreadable },
  { title: 'a byte order mark', envelope: () => sealed(`\ufeff${source()}`, [ours]), ...unreadable },
  { title: 'a line break after the end', envelope: () => sealed(`${source()}\n`, [ours]), ...unreadable },
  { title: 'no JSON', envelope: () => sealed('release', [ours]), ...unreadable },

  // Signed and canonical, but no manifest
  { title: 'a number', envelope: () => sealed('1', [ours]), ...schema },
  { title: 'an unknown field', envelope: () => signedAs((it) => void (it['extra'] = true)), ...schema },
  {
    title: 'a field named __proto__',
    envelope: () => sealed(source().replace('{"allow', '{"__proto__":{"version":99},"allow'), [ours]),
    ...schema,
  },
  { title: 'no expiry', envelope: () => signedAs((it) => void delete it['expires_at']), ...schema },
  { title: 'an expiry that is no time', envelope: () => signedAs((it) => void (it['expires_at'] = 'never')), ...schema },
  {
    title: 'an expiry in a thirteenth month',
    envelope: () => signedAs((it) => void (it['expires_at'] = '2027-13-01T12:00:00+00:00')),
    ...schema,
  },
  {
    title: 'an expiry before it was made',
    envelope: () => signedAs((it) => void (it['expires_at'] = '2026-01-01T12:00:00+00:00')),
    ...schema,
  },
  { title: 'a schema of the future', envelope: () => signedAs((it) => void (it['schema'] = 2)), ...schema },
  { title: 'version 0', envelope: () => signedAs((it) => void (it['version'] = 0)), ...schema },
  { title: 'a version above 2^53 - 1', envelope: () => signedAs((it) => void (it['version'] = 2 ** 53)), ...schema },
  { title: 'a version as text', envelope: () => signedAs((it) => void (it['version'] = '12')), ...schema },
  { title: 'no files', envelope: () => signedAs((it) => void (it['files'] = [])), ...schema },
  { title: 'no models', envelope: () => signedAs((it) => void (it['hardware_models'] = [])), ...schema },
  { title: 'a file outside the root by ..', envelope: () => file({ install_location: '/opt/../etc/passwd' }), ...schema },
  { title: 'a file that ends in ..', envelope: () => file({ install_location: '/opt/..' }), ...schema },
  { title: 'a relative install location', envelope: () => file({ install_location: 'opt/app' }), ...schema },
  { title: 'a NUL in the install location', envelope: () => file({ install_location: '/opt/a\0b' }), ...schema },
  { title: 'a file below /proc', envelope: () => file({ install_location: '/proc/sys/kernel/core_pattern' }), ...schema },
  { title: 'a file below /dev', envelope: () => file({ install_location: '/dev/mem' }), ...schema },
  { title: 'a set-user-id mode', envelope: () => file({ mode: '4755' }), ...schema },
  { title: 'bytes from another host', envelope: () => file({ path: 'https://evil.example/app.bin' }), ...schema },
  {
    title: 'bytes from another host by a double slash',
    envelope: () => file({ path: '//evil.example/device/v1/assets/x' }),
    ...schema,
  },
  { title: 'a file of no size', envelope: () => file({ size: 0 }), ...schema },
  { title: 'a file above the limit', envelope: () => file({ size: 3_758_096_385 }), ...schema },
  { title: 'a hash in capitals', envelope: () => file({ sha256: 'A'.repeat(64) }), ...schema },
  { title: 'a name with a slash', envelope: () => file({ name: 'a/b' }), ...schema },
  { title: 'a hidden name', envelope: () => file({ name: '..' }), ...schema },
  {
    title: 'two files at one place',
    envelope: () => signedAs((it) => void (it['files'] = [aFile(), aFile({ name: 'other' })])),
    ...schema,
  },
  {
    title: 'a file within a file',
    envelope: () =>
      signedAs((it) => void (it['files'] = [aFile(), aFile({ name: 'other', install_location: '/opt/app/app.bin/x' })])),
    ...schema,
  },
  {
    title: 'two files of one name',
    envelope: () => signedAs((it) => void (it['files'] = [aFile(), aFile({ install_location: '/opt/b' })])),
    ...schema,
  },
  { title: 'a rootfs release without an image', envelope: () => signedAs((it) => void (it['type'] = 'rootfs')), ...schema },
  {
    title: 'a hook that is no file of the release',
    envelope: () => signedAs((it) => void (it['hooks'] = { pre_install: 'c'.repeat(64), post_install: null, post_reboot: null })),
    ...schema,
  },
  {
    title: 'a payload as hook',
    envelope: () => signedAs((it) => void (it['hooks'] = { pre_install: 'a'.repeat(64), post_install: null, post_reboot: null })),
    ...schema,
  },

  // A valid manifest, not for this device or not now
  {
    title: 'expired by a day',
    envelope: () => good(),
    facts: { now: madeAt + 366 * day },
    code: 'manifest_expired',
    reason: 'expired',
  },
  {
    title: 'expired in this second',
    envelope: () => good(),
    facts: { now: Date.parse('2027-03-01T12:00:00Z') },
    code: 'manifest_expired',
    reason: 'expired',
  },
  {
    title: 'a clock that is no number',
    envelope: () => good(),
    facts: { now: Number.NaN },
    code: 'manifest_expired',
    reason: 'expired',
  },
  {
    title: 'another project',
    envelope: () => good({ project_id: ids.otherProject }),
    code: 'hardware_mismatch',
    reason: 'wrong_project',
  },
  {
    title: 'another model',
    envelope: () => good(),
    facts: { hardwareModel: 'cam-rk3566' },
    code: 'hardware_mismatch',
    reason: 'wrong_model',
  },
  {
    title: 'a model whose name begins alike',
    envelope: () => good(),
    facts: { hardwareModel: 'gw-imx8' },
    code: 'hardware_mismatch',
    reason: 'wrong_model',
  },
  {
    title: 'the installed version again',
    envelope: () => good(),
    facts: { installedVersion: 12 },
    code: 'version_not_newer',
    reason: 'not_newer',
  },
  { title: 'replayed: an older version', envelope: () => good({ version: 9 }), code: 'version_not_newer', reason: 'not_newer' },
  {
    title: 'going back from a version that is not listed',
    envelope: () => good({ allow_downgrade_from: [13] }),
    facts: { installedVersion: 14 },
    code: 'version_not_newer',
    reason: 'not_newer',
  },
  {
    title: 'an older version that the installed manifest does not list',
    envelope: () => good(),
    facts: { installedVersion: 14, mayReturnTo: [11, 13] },
    code: 'version_not_newer',
    reason: 'not_newer',
  },
  {
    title: 'an older version whose own list names the installed one',
    envelope: () => good({ may_return_to: [9, 11] }),
    facts: { installedVersion: 14 },
    code: 'version_not_newer',
    reason: 'not_newer',
  },
  {
    title: 'a listed older version below the burned rollback number',
    envelope: () => good({ rollback_version: 1 }),
    facts: { installedVersion: 14, mayReturnTo: [12], rollbackVersion: 2 },
    code: 'rollback_protection',
    reason: 'rollback_number',
  },
  {
    title: 'a listed older version that has expired',
    envelope: () => good(),
    facts: { installedVersion: 14, mayReturnTo: [12], now: madeAt + 400 * day },
    code: 'manifest_expired',
    reason: 'expired',
  },
  {
    title: 'a listed older version for other hardware',
    envelope: () => good(),
    facts: { installedVersion: 14, mayReturnTo: [12], hardwareModel: 'cam' },
    code: 'hardware_mismatch',
    reason: 'wrong_model',
  },
  {
    title: 'a listed older version signed by a stranger',
    envelope: () => good({}, [stranger]),
    facts: { installedVersion: 14, mayReturnTo: [12] },
    code: 'key_unknown',
    reason: 'key_unknown',
  },
  {
    title: 'a release that may return to its own version',
    envelope: () => signedAs((manifest) => void (manifest['may_return_to'] = [12])),
    ...schema,
  },
  {
    title: 'a release that may return to a newer version',
    envelope: () => signedAs((manifest) => void (manifest['may_return_to'] = [13])),
    ...schema,
  },
  {
    title: 'a release that may return to more than 1000 versions',
    envelope: () =>
      signedAs((manifest) => {
        manifest['version'] = 2000
        manifest['may_return_to'] = Array.from({ length: 1001 }, (_, at) => at + 1)
      }),
    ...schema,
  },
  {
    title: 'a return list that is null',
    envelope: () => signedAs((manifest) => void (manifest['may_return_to'] = null)),
    ...schema,
  },
  {
    title: 'the stepping stone is missing',
    envelope: () => good({ min_installed_version: 12 }),
    code: 'version_not_newer',
    reason: 'below_minimum',
  },
  {
    title: 'the stepping stone on an empty device',
    envelope: () => good({ min_installed_version: 2 }),
    facts: { installedVersion: null },
    code: 'version_not_newer',
    reason: 'below_minimum',
  },
  {
    title: 'a rollback number below the burned one',
    envelope: () => good({ rollback_version: 2 }),
    facts: { rollbackVersion: 3 },
    code: 'rollback_protection',
    reason: 'rollback_number',
  },
  {
    title: 'no rollback number against a burned one',
    envelope: () => good(),
    facts: { rollbackVersion: 1 },
    code: 'rollback_protection',
    reason: 'rollback_number',
  },
  {
    title: 'a listed downgrade against the burned number',
    envelope: () => good({ allow_downgrade_from: [14], rollback_version: 1 }),
    facts: { installedVersion: 14, rollbackVersion: 2 },
    code: 'rollback_protection',
    reason: 'rollback_number',
  },
  // The order of the checks is part of the contract
  {
    title: 'expired and for another project: expiry is named',
    envelope: () => good({ project_id: ids.otherProject }),
    facts: { now: madeAt + 400 * day },
    code: 'manifest_expired',
    reason: 'expired',
  },
  {
    title: 'expired and forged: the signature is named',
    envelope: async () => {
      const it = await good()
      return resigned(it, flipped(it.signatures[0]!.sig, 1))
    },
    facts: { now: madeAt + 400 * day },
    ...wrong,
  },
]
