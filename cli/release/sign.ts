import { readFileSync, writeFileSync } from 'node:fs'
import { fromBase64, toBase64 } from '../../contract/device/bytes'
import { isSignatureOf, rawSignature, sign } from '../../contract/device/dsse'
import { type Manifest, payloadType, readManifest } from '../../contract/device/manifest'
import { signingKeyFromPem } from '../../contract/device/private-key'
import { publicKeyFromPem } from '../../contract/device/public-key'
import { type SigningKey, signingKeys } from '../../contract/fleet/keys'
import { releaseToSign, signRelease } from '../../contract/updates/release-signing'
import type { Release } from '../../contract/updates/releases'
import type { Context } from '../core/context'
import { Failed } from '../core/errors'
import { note } from '../core/print'
import { readPages } from '../core/pages'
import type { Facts } from './draft'
import type { LocalFile } from './local-file'

const listKeys = async ({ api, projectId }: Context): Promise<SigningKey[]> => {
  const params = { projectId: await projectId() }
  return readPages(Number.POSITIVE_INFINITY, async (page) => {
    const answer = await api.call(signingKeys, params, { query: page })
    return { items: answer.signing_keys, next: answer.next_cursor }
  })
}

const isSameList = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((item) => other.includes(item))

/** What the manifest of the server says otherwise than the push; undefined if nothing. A key signs only what its owner has pushed. */
const contradiction = (manifest: Manifest, found: Release, facts: Facts, files: readonly LocalFile[]): string | undefined => {
  if (manifest.id !== found.id || manifest.project_id !== found.project_id) return 'another release'
  for (const name of ['name', 'version', 'type'] as const) if (manifest[name] !== facts[name]) return `another ${name}`
  if (!isSameList(manifest.hardware_models, [...new Set(facts.hardware_models)])) return 'other hardware models'
  if (facts.display_version !== undefined && manifest.display_version !== facts.display_version) return 'another display version'
  if (manifest.files.length !== files.length) return 'other files'
  for (const file of files) {
    const signed = manifest.files.find(({ name }) => name === file.name)
    if (!signed || signed.sha256 !== file.sha256 || signed.size !== file.size) return `another ${file.name}`
    if (signed.install_location !== file.install_location || signed.kind !== file.kind) return `another place of ${file.name}`
  }
  return undefined
}

const readToSign = async ({ api }: Context, found: Release, facts: Facts, files: readonly LocalFile[]) => {
  const { payload_base64: base64 } = await api.call(releaseToSign, { releaseId: found.id })
  const payload = fromBase64(base64)
  const read = payload && readManifest(payload)
  if (!payload || !read || 'wrong' in read) throw new Failed('What the server asks to sign is not a manifest')
  const wrong = contradiction(read.manifest, found, facts, files)
  if (wrong !== undefined) throw new Failed(`The server asks to sign ${wrong} than was pushed. Nothing was signed`)
  return payload
}
type Bytes = Awaited<ReturnType<typeof readToSign>>

const readKey = async (keyPath: string) => {
  const key = await signingKeyFromPem(readFileSync(keyPath, 'utf8'))
  if (!key) throw new Failed(`${keyPath} is not an Ed25519 or P-256 private key in PEM (PKCS#8)`)
  return key
}
type PrivateKey = Awaited<ReturnType<typeof readKey>>

const signWith = async (context: Context, payload: Bytes, key: PrivateKey) => {
  const { fingerprint } = key.publicKey
  const registered = (await listKeys(context)).find((one) => one.fingerprint === fingerprint)
  if (!registered) throw new Failed(`The project has no key ${fingerprint}. Add its public key on the Access page first`)
  const { signature } = await sign(key, payloadType, payload)
  return { key: registered, signature_base64: toBase64(signature) }
}

/** The key of the project that made a signature. */
const findSigner = async (context: Context, payload: Bytes, base64: string): Promise<SigningKey | undefined> => {
  for (const key of await listKeys(context)) {
    const publicKey = await publicKeyFromPem(key.public_key_pem)
    const signature = publicKey && rawSignature(publicKey.algorithm, fromBase64(base64) ?? new Uint8Array())
    if (publicKey && signature && (await isSignatureOf(publicKey, payloadType, payload, signature))) return key
  }
  return undefined
}

const readSignature = async (context: Context, payload: Bytes, path: string) => {
  const base64 = readFileSync(path, 'utf8').trim()
  const key = await findSigner(context, payload, base64)
  if (!key) throw new Failed(`${path}: no key of the project made this signature for the manifest as it is now`)
  return { key, signature_base64: base64 }
}

export type SigningOptions = { signWith?: string; signature?: string; manifestOut?: string }

/** Whether a key that was not revoked has signed it: without one no device is offered the release. */
export const isSignedValidly = async (context: Context, { signatures }: Release): Promise<boolean> => {
  const revoked = (await listKeys(context)).filter(({ state }) => state === 'revoked')
  return signatures.some(({ key_id: keyId }) => !revoked.some(({ id }) => id === keyId))
}

/**
 * Signs the manifest here, or attaches a signature made elsewhere, unless the key has signed it already. Without either the release
 * stays as it is.
 */
export const signIfAsked = async (
  context: Context,
  found: Release,
  pushed: { facts: Facts; files: readonly LocalFile[] },
  options: SigningOptions,
): Promise<Release> => {
  const { signWith: keyPath, signature: signaturePath, manifestOut } = options
  if (keyPath === undefined && signaturePath === undefined && manifestOut === undefined) return found
  const own = keyPath === undefined ? undefined : await readKey(keyPath)
  const hasSigned = (fingerprint: string) => found.signatures.some((one) => one.fingerprint === fingerprint)
  if (own && hasSigned(own.publicKey.fingerprint)) return found
  const payload = await readToSign(context, found, pushed.facts, pushed.files)
  if (manifestOut !== undefined) writeFileSync(manifestOut, payload)
  if (own === undefined && signaturePath === undefined) return found
  const { key, signature_base64 } = own
    ? await signWith(context, payload, own)
    : await readSignature(context, payload, signaturePath ?? '')
  if (hasSigned(key.fingerprint)) return found
  const signed = await context.api.call(signRelease, { releaseId: found.id }, { body: { key_id: key.id, signature_base64 } })
  note(`Signed with ${key.name} (${key.fingerprint})`)
  return signed
}
