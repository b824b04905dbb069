import { createPrivateKey } from 'node:crypto'

export const privateKeyText = 'The file contains a private key. Its bytes were deleted: keep private keys off this server'

// A key that is embedded in an image is found in the same way as a file of its own. Programs that read keys contain the first
// line alone: base 64 has to follow it.
const forms: readonly [mark: string, form: RegExp][] = [
  [
    'PRIVATE KEY',
    /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----\s*(?:[\w-]{1,40}: [^\r\n]{0,200}[\r\n]+)*\s*[A-Za-z0-9+/=]{16}/,
  ],
  ['AGE-SECRET-KEY-1', /AGE-SECRET-KEY-1[0-9A-Z]{50}/],
  ['PuTTY-User-Key-File', /Private-Lines: [1-9]/],
  ['untrusted comment:', /untrusted comment: [^\r\n]{0,200}secret key[^\r\n]{0,200}[\r\n]+[A-Za-z0-9+/=]{64}/],
]
const jwk = /"d"\s*:\s*"[A-Za-z0-9_-]{20,}"/

const windowHasKey = (bytes: Buffer): boolean => {
  if (forms.some(([mark, form]) => bytes.includes(mark) && form.test(bytes.toString('latin1')))) return true
  if (!bytes.includes('"kty"') || !bytes.includes('"d"')) return false
  return jwk.test(bytes.toString('latin1'))
}

/** PKCS#8, PKCS#1 and SEC 1 are read; encrypted PKCS#8 (RFC 5958, PBES2) and PKCS#12 (RFC 7292) are known by their heads. */
const isDerKey = (bytes: Buffer): boolean => {
  if (bytes[0] !== 0x30) return false
  const head = bytes.subarray(0, 48)
  if (head.includes(Buffer.from('06092a864886f70d01050d', 'hex'))) return true
  if (head.includes(Buffer.from('02010330', 'hex')) && head.includes(Buffer.from('06092a864886f70d010701', 'hex'))) return true
  return (['pkcs8', 'pkcs1', 'sec1'] as const).some((type) => {
    try {
      createPrivateKey({ key: bytes, format: 'der', type })
      return true
    } catch {
      return false
    }
  })
}

const overlap = 4096
/** Larger files are no DER keys. */
const maxDerBytes = 65_536

/** Whether these bytes are, or contain, a private key in one of the usual forms. */
export const hasPrivateKey = async (bytes: AsyncIterable<Buffer>, size: number): Promise<boolean> => {
  let tail = Buffer.alloc(0)
  const whole: Buffer[] = []
  for await (const chunk of bytes) {
    const window = Buffer.concat([tail, chunk])
    if (windowHasKey(window)) return true
    tail = window.subarray(-overlap)
    if (size <= maxDerBytes) whole.push(chunk)
  }
  return size <= maxDerBytes && isDerKey(Buffer.concat(whole))
}
