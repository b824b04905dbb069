import { createCipheriv, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findPrivateKey, isPrivateKeyName } from '../formats/private-keys'
import { bytesReader } from '../testing/bytes-reader'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')

const firmware = (inside: Buffer | string) =>
  Buffer.concat([Buffer.alloc(1_048_500, 0x5a), Buffer.from(inside), Buffer.alloc(5000, 0xff)])
const der = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1') =>
  key.export({ type, format: 'der' } as { type: 'pkcs8'; format: 'der' })
const pem = (key: KeyObject, type: 'pkcs8' | 'pkcs1' | 'sec1') =>
  String(key.export({ type, format: 'pem' } as { type: 'pkcs8'; format: 'pem' }))
const encrypted = rsa.privateKey.export({ type: 'pkcs8', format: 'der', cipher: 'aes-256-cbc', passphrase: 'secret' })
const openssh = `openssh-key-v1\0\0\0\0\x04none`

describe('private keys in files', () => {
  it.each<[string, Buffer | string]>([
    ['a PKCS#8 key as PEM', pem(rsa.privateKey, 'pkcs8')],
    ['a PKCS#1 key as PEM', pem(rsa.privateKey, 'pkcs1')],
    ['a SEC 1 key as PEM', pem(ec.privateKey, 'sec1')],
    ['an Ed25519 key as PEM', pem(ed.privateKey, 'pkcs8')],
    [
      'an encrypted PEM key',
      String(rsa.privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-128-cbc', passphrase: 'secret' })),
    ],
    ['a PEM key with escaped line ends', JSON.stringify(pem(ec.privateKey, 'pkcs8'))],
    ['a PKCS#8 RSA key as DER', der(rsa.privateKey, 'pkcs8')],
    ['a PKCS#1 RSA key as DER', der(rsa.privateKey, 'pkcs1')],
    ['a PKCS#8 EC key as DER', der(ec.privateKey, 'pkcs8')],
    ['a SEC 1 key as DER', der(ec.privateKey, 'sec1')],
    ['an Ed25519 key as DER', der(ed.privateKey, 'pkcs8')],
    ['an encrypted PKCS#8 key as DER', encrypted],
    ['an OpenSSH key', openssh],
    ['a PuTTY key', 'PuTTY-User-Key-File-3: ssh-rsa'],
    ['a JSON Web Key', JSON.stringify(ec.privateKey.export({ format: 'jwk' }))],
    ['a PKCS#12 file', Buffer.from('3082001a020103301506092a864886f70d010701a00804060a0b0c0d0e0f', 'hex')],
  ])('recognise %s inside firmware', async (_, key) => {
    const found = await findPrivateKey(bytesReader(firmware(key)))
    expect(found?.offset).toBeGreaterThanOrEqual(1_048_500)
    expect(found?.offset).toBeLessThan(1_048_700)
  })

  it.each<[string, Buffer | string]>([
    ['a public key as PEM', String(rsa.publicKey.export({ type: 'spki', format: 'pem' }))],
    ['a public key as DER', rsa.publicKey.export({ type: 'spki', format: 'der' })],
    ['a PKCS#1 public key', rsa.publicKey.export({ type: 'pkcs1', format: 'der' })],
    ['an EC public key as DER', ec.publicKey.export({ type: 'spki', format: 'der' })],
    ['a public JSON Web Key', JSON.stringify(ec.publicKey.export({ format: 'jwk' }))],
    ['the labels in a program that reads keys', '-----BEGIN PRIVATE KEY-----\0-----END PRIVATE KEY-----\0RSA PRIVATE KEY'],
    ['random bytes', createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(3_000_000))],
  ])('are not seen in %s', async (_, content) => {
    expect(await findPrivateKey(bytesReader(firmware(content)))).toBeUndefined()
  })

  it('are recognised by the names that programs give them', () => {
    const names = ['keys/id_ed25519', 'release.key', 'a/signing.p12', 'release-private.pem', 'dev_priv.der', 'x.pk8']
    expect(names.filter(isPrivateKeyName)).toEqual(names)
    expect(['public.pem', 'keys.txt', 'private-network.conf', 'boot.sig', 'pubkey.bin'].filter(isPrivateKeyName)).toEqual([])
  })
})
