import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type ClientBinary, downloadClientBinary } from '../../../contract/fleet/client-binaries'
import { pathOf } from '../../../contract/core/endpoint'
import type { Deps } from '../../core/deps'
import { formatTimestamp } from '../../core/timestamps'
import { root } from '../../core/root'
import { agentPlatforms, commandLinePlatforms } from './platforms'
import { fingerprintOf, type Signed, signatureOf } from './signature'

/** A downloadable program: exactly the bytes that were hashed and signed. */
export type Program = {
  kind: ClientBinary['kind']
  fileName: string
  version: string
  builtAt: Date
  bytes: Buffer
  sha256: string
  signed: Signed | null
}

type Built = Pick<Program, 'kind' | 'fileName'> & { folder: string }
/** The page begins with the first one. */
const builds: readonly Built[] = [
  { kind: 'device_client', folder: 'agent', fileName: 'teasel-agent.mjs' },
  { kind: 'cli', folder: 'cli', fileName: 'teasel.mjs' },
]
const platforms = { device_client: agentPlatforms, cli: commandLinePlatforms } as const

// The program's own version output: "teasel-agent 1.2.3".
const versionOf = async (path: string) =>
  (await promisify(execFile)(process.execPath, [path, '--version'])).stdout.trim().split(' ').at(-1)

const read = async (path: string, { kind, fileName }: Built, { config, log }: Deps): Promise<Program> => {
  const [bytes, { mtime }, version = 'unknown'] = await Promise.all([readFile(path), stat(path), versionOf(path)])
  const signed = await signatureOf(path, config.dataDirectory).catch((error: unknown) => {
    log.error({ err: error }, 'a client binary could not be signed')
    return null
  })
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { kind, fileName, version, builtAt: mtime, bytes, sha256, signed }
}

const openProgram = (deps: Deps, directory: string, built: Built): (() => Promise<Program[]>) => {
  const path = join(directory, built.folder, built.fileName)
  let known: { mark: string; program: Promise<Program> } | undefined
  return async () => {
    const found = await stat(path).catch(() => undefined)
    if (!found) return []
    const mark = `${found.mtimeMs} ${found.ino} ${found.size}`
    if (known?.mark !== mark) {
      const program = read(path, built, deps)
      known = { mark, program }
      program.catch(() => (known = undefined))
    }
    return [await known.program]
  }
}

/** The programs that the build has written to `directory`, read again when a new build replaces one; none without a build. */
export const openPrograms = (deps: Deps, directory = join(root, 'dist')): (() => Promise<Program[]>) => {
  const programs = builds.map((built) => openProgram(deps, directory, built))
  return async () => (await Promise.all(programs.map((read) => read()))).flat()
}

const urlOf = (api: string, fileName: string) => `${api}${pathOf(downloadClientBinary.path, { fileName })}`

export const clientBinaryToJson = (
  { kind, fileName: name, version, builtAt, bytes, sha256, signed }: Program,
  api: string,
): ClientBinary => ({
  name: name.replace(/\.mjs$/, ''),
  file_name: name,
  kind,
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
  platforms: platforms[kind],
})
