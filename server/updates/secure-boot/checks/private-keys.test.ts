import { createCipheriv, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findIvt } from '../formats/hab'
import { findPrivateKey, isPrivateKeyName } from '../formats/private-keys'
import { readerOf } from '../formats/reader'
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

  it('are found behind any number of false starts', async () => {
    const starts = Buffer.alloc(200_000, Buffer.from('30300201003010060030', 'hex'))
    const labels = '-----BEGIN PRIVATE KEY-----\n'.repeat(5000)
    expect((await findPrivateKey(bytesReader(Buffer.concat([starts, der(ec.privateKey, 'pkcs8')]))))?.offset).toBe(200_000)
    const found = await findPrivateKey(bytesReader(Buffer.from(labels + pem(ec.privateKey, 'pkcs8'))))
    expect(found).toEqual({ form: 'a PEM private key', offset: labels.length, length: 27 })
    const headers = `-----BEGIN RSA PRIVATE KEY-----\n${'Ab: x\n'.repeat(330)}${'A'.repeat(64)}\n`
    expect((await findPrivateKey(bytesReader(Buffer.from(headers))))?.form).toBe('a PEM private key')
  })

  it('are recognised by the names that programs give them', () => {
    const names = ['keys/id_ed25519', 'release.key', 'a/signing.p12', 'release-private.pem', 'dev_priv.der', 'x.pk8']
    expect(names.filter(isPrivateKeyName)).toEqual(names)
    expect(['public.pem', 'keys.txt', 'private-network.conf', 'boot.sig', 'pubkey.bin'].filter(isPrivateKeyName)).toEqual([])
  })
})

/** Processor time in ms. */
const processorMs = async (work: () => Promise<unknown>): Promise<number> => {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
/** The least processor time of each, in turns: others share the machine, and may take its caches for a while. */
const leastMs = async (works: (() => Promise<unknown>)[], isEnough: (least: readonly number[]) => boolean): Promise<number[]> => {
  const least = works.map(() => Number.POSITIVE_INFINITY)
  for (let turn = 0; turn < 16 && !(turn > 2 && isEnough(least)); turn++)
    for (const [n, work] of works.entries()) least[n] = Math.min(least[n] ?? 0, await processorMs(work))
  return least
}
const quiet = createCipheriv('aes-128-ctr', Buffer.alloc(16), Buffer.alloc(16)).update(Buffer.alloc(4_194_304))
const searches = {
  'private keys': (bytes: Buffer) => findPrivateKey(bytesReader(bytes)),
  'an image vector table': (bytes: Buffer) => findIvt(readerOf(bytesReader(bytes))),
}

/** Made to cost much: each unit is repeated until the file is full. */
const hostile: [what: string, search: keyof typeof searches, unit: string | Buffer][] = [
  ['labels', 'private keys', '-----BEGIN PRIVATE KEY-----\n'],
  ['labels in headers', 'private keys', 'Ab: -----BEGIN PRIVATE KEY-----\n'],
  ['labels before spaces', 'private keys', `-----BEGIN PRIVATE KEY-----${' '.repeat(1000)}`],
  ['starts of PKCS#12 files', 'private keys', Buffer.from('300402010330', 'hex')],
  ['starts of PKCS#8 keys', 'private keys', Buffer.from('30300201003010060030', 'hex')],
  ['starts of JSON Web Keys', 'private keys', '"kty" "d":"AAAAAAAAAAAA'],
  ['starts of tables', 'an image vector table', Buffer.from('d100204000000000', 'hex')],
]

it.each(hostile)(
  'A file of %s costs the search for %s little more than any file, and grows with its size',
  async (_, search, unit) => {
    const bytes = Buffer.alloc(4_194_304, unit)
    const works = [bytes.subarray(0, 1_048_576), bytes, quiet].map((one) => () => searches[search](one))
    const ratios = ([quarter = 0, whole = 0, other = 0]: readonly number[]) => [whole / quarter, whole / other] as const
    // Four times the bytes cost 4 times as much if the cost is linear, and 16 times if it is quadratic.
    const [growth, more] = ratios(await leastMs(works, (least) => ratios(least)[0] < 8 && ratios(least)[1] < 50))
    expect(growth).toBeLessThan(8)
    expect(more).toBeLessThan(50)
  },
)

it('An image vector table is found across the parts in which a file is read, and before the end of the searched bytes', async () => {
  const table = Buffer.alloc(32)
  for (const [offset, value] of [
    [0, 0x40_20_00_d1],
    [16, 0x1020],
    [20, 0x1000],
  ] as const)
    table.writeUInt32LE(value, offset)
  for (const offset of [0, 1_048_560, 1_048_576, 3_145_724, 4_194_300]) {
    const bytes = Buffer.concat([Buffer.alloc(offset), table, Buffer.alloc(64)])
    expect(await findIvt(readerOf(bytesReader(bytes)))).toMatchObject({ offset, self: 0x1000, bootDataOffset: offset + 0x20 })
  }
  expect(await findIvt(readerOf(bytesReader(Buffer.concat([Buffer.alloc(4_194_304), table]))))).toBeUndefined()
  expect(await findIvt(readerOf(bytesReader(table.subarray(0, 31))))).toBeUndefined()
})
