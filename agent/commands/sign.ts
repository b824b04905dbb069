import { readFileSync } from 'node:fs'
import { toBase64, utf8 } from '../../contract/device/bytes'
import { sign as signBytes } from '../../contract/device/dsse'
import { keyListPayloadType, readKeyList } from '../../contract/device/key-list'
import { manifestBytes, Manifest, payloadType, readManifest, createEnvelope } from '../../contract/device/manifest'
import { signingKeyFromPem } from '../../contract/device/private-key'
import { is } from 'superstruct'
import { exitCodes } from '../core/exit-codes'
import { writeAtomically } from '../core/files'

// The standard output is for the signature only.
const printMessage = (text: string) => void process.stderr.write(`${text}\n`)

/** The bytes to sign for manifest JSON in any formatting; null if it is not a manifest. */
const canonicalBytes = (source: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null => {
  const read = readManifest(source)
  if ('manifest' in read) return source
  try {
    const value: unknown = JSON.parse(Buffer.from(source).toString('utf8'))
    return is(value, Manifest) ? manifestBytes(value) : null
  } catch {
    return null
  }
}

/**
 * `teasel-agent sign --key-list`: signs a key list, which is not accepted as a manifest, and prints the keys that devices will
 * trust by it.
 */
export const signKeyList = async (keyPath: string, listPath: string, outPath: string | undefined): Promise<number> => {
  const key = await signingKeyFromPem(readFileSync(keyPath, 'utf8'))
  if (!key) {
    printMessage(`${keyPath} is not an Ed25519 or P-256 private key in PEM (PKCS#8)`)
    return exitCodes.error
  }
  const payload = new Uint8Array(readFileSync(listPath === '-' ? 0 : listPath))
  const list = await readKeyList(payload)
  if (!list) {
    printMessage(`${listPath === '-' ? 'The input' : listPath} is not a key list`)
    return exitCodes.error
  }
  const { signature } = await signBytes(key, keyListPayloadType, payload)
  const text = `${toBase64(signature)}\n`
  if (outPath === undefined) process.stdout.write(text)
  else writeAtomically(outPath, utf8(text), 0o644)
  printMessage(`key list ${list.counter} of project ${list.project_id}`)
  for (const { fingerprint } of list.keys) printMessage(`trusted: ${fingerprint}`)
  for (const { fingerprint } of list.revoked) printMessage(`revoked: ${fingerprint}`)
  printMessage(`signed by ${key.publicKey.fingerprint}`)
  return exitCodes.done
}

/**
 * `teasel-agent sign`: writes the signature in base 64, or with `envelope` the whole DSSE envelope. The manifest path `-` is the
 * standard input. Returns the exit code.
 */
export const sign = async (
  keyPath: string,
  manifestPath: string,
  outPath: string | undefined,
  envelope: boolean,
): Promise<number> => {
  const key = await signingKeyFromPem(readFileSync(keyPath, 'utf8'))
  if (!key) {
    printMessage(`${keyPath} is not an Ed25519 or P-256 private key in PEM (PKCS#8)`)
    return exitCodes.error
  }
  const payload = canonicalBytes(new Uint8Array(readFileSync(manifestPath === '-' ? 0 : manifestPath)))
  if (!payload) {
    printMessage(`${manifestPath === '-' ? 'The input' : manifestPath} is not a manifest`)
    return exitCodes.error
  }
  const signature = await signBytes(key, payloadType, payload)
  const text = envelope ? `${JSON.stringify(createEnvelope(payload, [signature]))}\n` : `${toBase64(signature.signature)}\n`
  if (outPath === undefined) process.stdout.write(text)
  else writeAtomically(outPath, utf8(text), 0o644)
  printMessage(`signed by ${key.publicKey.fingerprint}`)
  return exitCodes.done
}
