import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClientBinary, downloadClientBinary } from '../../../contract/client-binaries'
import { pathOf } from '../../../contract/endpoint'
import type { Deps } from '../../core/deps'
import { formatTimestamp } from '../../core/timestamps'
import { root } from '../../core/root'
import { platforms } from './platforms'
import { fingerprintOf, type Signed, signatureOf } from './signature'

/** A downloadable program: exactly the bytes that were hashed and signed. */
export type Program = { fileName: string; version: string; builtAt: Date; bytes: Buffer; sha256: string; signed: Signed | null }

const fileName = 'teasel-agent.mjs'

// The program's own version output: "teasel-agent 1.2.3".
const versionOf = async (path: string) =>
  (await promisify(execFile)(process.execPath, [path, '--version'])).stdout.trim().split(' ').at(-1)

const read = async (path: string, { config, log }: Deps): Promise<Program> => {
  const [bytes, { mtime }, version = 'unknown'] = await Promise.all([readFile(path), stat(path), versionOf(path)])
  const signed = await signatureOf(path, config.dataDirectory).catch((error: unknown) => {
    log.error({ err: error }, 'a client binary could not be signed')
    return null
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { fileName, version, builtAt: mtime, bytes, sha256, signed }
}

/** The programs that the build has written to `directory`, read again when a new build replaces one; none without a build. */
export const openPrograms = (deps: Deps, directory = join(root, 'dist/agent')): (() => Promise<Program[]>) => {
  const path = join(directory, fileName)
  let known: { mark: string; program: Promise<Program> } | undefined
  return async () => {
    const found = await stat(path).catch(() => undefined)
    if (!found) return []
    const mark = `${found.mtimeMs} ${found.ino} ${found.size}`
    if (known?.mark !== mark) {
      const program = read(path, deps)
      known = { mark, program }
      program.catch(() => (known = undefined))
    }
    return [await known.program]
  }
}

const urlOf = (api: string, fileName: string) => `${api}${pathOf(downloadClientBinary.path, { fileName })}`

export const clientBinaryToJson = (
  { fileName: name, version, builtAt, bytes, sha256, signed }: Program,
  api: string,
): ClientBinary => ({
  name: 'teasel-agent',
  file_name: name,
  kind: 'device_client',
  version,
  runtime: 'Node.js 20.19 or later',
  size: bytes.length,
  sha256,
  signature: signed && {
    algorithm: 'ed25519',
    signer: signed.signer,
    public_key: signed.publicKey.toString('base64'),
    fingerprint: fingerprintOf(signed),
    value: signed.bytes.toString('base64'),
    url: urlOf(api, `${name}.sig`),
  },
  url: urlOf(api, name),
  released_at: formatTimestamp(builtAt),
  platforms,
})
