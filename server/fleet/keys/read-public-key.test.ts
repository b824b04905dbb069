import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { containsPrivateKey } from '../../../contract/fleet/keys'
import { readPublicKey } from './read-public-key'

const pem = (type: 'spki' | 'pkcs8', key: { export: (options: never) => unknown }) =>
  String(key.export({ type, format: 'pem' } as never))
const ed = generateKeyPairSync('ed25519')
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const rsa = generateKeyPairSync('rsa', { modulusLength: 3072 })
const small = generateKeyPairSync('rsa', { modulusLength: 2048 })

const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'taken',
    (error: { facts?: { details?: { code: string }[] } }) => error.facts?.details?.[0]?.code,
  )

describe('T-17: the server stores public keys only', () => {
  const secrets = [
    pem('pkcs8', ed.privateKey),
    pem('pkcs8', p256.privateKey),
    pem('pkcs8', rsa.privateKey),
    String(p256.privateKey.export({ type: 'sec1', format: 'pem' })),
    String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem' })),
    `${pem('spki', ed.publicKey)}${pem('pkcs8', ed.privateKey)}`,
    '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl\n-----END OPENSSH PRIVATE KEY-----',
    '-----BEGIN PGP PRIVATE KEY BLOCK-----',
    JSON.stringify(ed.privateKey.export({ format: 'jwk' })),
    'AGE-SECRET-KEY-1QQQ',
    'untrusted comment: minisign encrypted secret key',
  ]
  it.each(secrets.map((text, n) => [n, text] as const))('%i', async (_, text) => {
    expect(containsPrivateKey(text)).toBe(true)
    for (const algorithm of ['ed25519', 'ecdsa-p256', 'rsa-3072'] as const)
      expect(await codeOf(readPublicKey(algorithm, text))).toBe('private_key')
  })
})

it.each([
  ['ed25519', ed.publicKey, 'taken'],
  ['ecdsa-p256', p256.publicKey, 'taken'],
  ['rsa-3072', rsa.publicKey, 'taken'],
  ['ed25519', p256.publicKey, 'wrong_algorithm'],
  ['ecdsa-p256', p384.publicKey, 'wrong_algorithm'],
  ['rsa-3072', small.publicKey, 'wrong_algorithm'],
  ['rsa-3072', ed.publicKey, 'wrong_algorithm'],
] as const)('%s: another key is refused (%#)', async (algorithm, key, code) =>
  expect(await codeOf(readPublicKey(algorithm, pem('spki', key)))).toBe(code),
)

it('detects a key whose private key is published', async () => {
  const rfc8032 =
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n'
  expect((await readPublicKey('ed25519', rfc8032)).isKnownTestKey).toBe(true)
  expect((await readPublicKey('ed25519', pem('spki', ed.publicKey))).isKnownTestKey).toBe(false)
})
