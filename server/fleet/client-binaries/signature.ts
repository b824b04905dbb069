import { createHash, createPublicKey, verify } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClientSignature } from '../../../contract/fleet/client-binaries'
import { agentCommand } from '../../core/agent-command'

/** A signature file, and who made it. */
export type Signed = { bytes: Buffer; signer: ClientSignature['signer']; publicKey: Buffer }

export const fingerprintOf = ({ publicKey }: Signed): string => createHash('sha256').update(publicKey).digest('hex')

const keyName = 'client-binaries'

/** Created in a temporary folder and renamed, so that of several processes that start at once only one makes the key. */
const keyPair = async (directory: string): Promise<string> => {
  const place = join(directory, keyName)
  const privateKey = join(place, `${keyName}.key.pem`)
  if (existsSync(privateKey)) return privateKey
  await mkdir(directory, { recursive: true })
  const fresh = await mkdtemp(join(directory, `${keyName}-`))
  await agentCommand(['keygen', '--out', fresh, '--name', keyName])
  await chmod(fresh, 0o700)
  await rename(fresh, place).catch(async (error: unknown) => {
    await rm(fresh, { recursive: true, force: true })
    if (!existsSync(privateKey)) throw error
  })
  return privateKey
}

/** The publisher's files next to the program: `<file>.sig` and `publisher.pub.pem`. */
const byPublisher = async (path: string): Promise<Signed | undefined> => {
  const keyPath = join(path, '../publisher.pub.pem')
  if (!existsSync(`${path}.sig`) || !existsSync(keyPath)) return undefined
  const key = createPublicKey(await readFile(keyPath))
  const bytes = await readFile(`${path}.sig`)
  // A signature of another build, or by another key.
  if (!verify(null, await readFile(path), key, bytes)) return undefined
  return { bytes, signer: 'publisher', publicKey: key.export({ type: 'spki', format: 'der' }) }
}

// A copy is signed, so that the signed bytes are the bytes that were read. Only the agent's command reads the private key.
const byInstallation = async (path: string, dataDirectory: string): Promise<Signed> => {
  const privateKey = await keyPair(dataDirectory)
  const bench = await mkdtemp(join(dataDirectory, keyName, 'signing-'))
  try {
    const file = join(bench, 'file')
    await copyFile(path, file)
    const out = join(bench, 'signature')
    const publicKey = await agentCommand(['sign', '--key', privateKey, '--file', file, '--out', out])
    return { bytes: await readFile(out), signer: 'installation', publicKey: Buffer.from(publicKey, 'base64') }
  } finally {
    await rm(bench, { recursive: true, force: true })
  }
}

/** The publisher's signature if there is one, otherwise the installation's own (docs/decisions/0012). */
export const signatureOf = async (path: string, dataDirectory: string): Promise<Signed> =>
  (await byPublisher(path)) ?? byInstallation(path, dataDirectory)
