import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, open, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../core/config'
import type { ArtifactStorage } from '../core/deps'
import { openStorage } from '../core/storage/open-storage'
import type { BackupFile } from './manifest'

// The database is copied as rows, logs and locks belong to the process, and `.part` files are incomplete. The files of releases stay in
// `artifacts` after they were copied into another storage.
const notKept = /^(postgres|postgres\..*|.*\.log(\.\d+)?|lock|artifacts|uploads)$/

/** The files of the data directory that are part of a backup; files of releases are not, also where they are in it. */
export const dataFilesOf = async ({ dataDirectory, storage }: Config): Promise<string[]> => {
  const skips = (file: string) =>
    file.endsWith('.part') ||
    notKept.test(relative(dataDirectory, file).split('/')[0] ?? '') ||
    (storage.kind === 'directory' && (file === storage.path || file.startsWith(`${storage.path}/`)))
  const entries = await readdir(dataDirectory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((file) => !skips(file)).toSorted()
}

/** Opens a storage to write into. A directory is created: one that is absent counts as one that cannot be read. */
export const createStorage = async (storage: Config['storage']): Promise<ArtifactStorage> => {
  if (storage.kind === 'directory') await mkdir(storage.path, { recursive: true, mode: 0o700 })
  return openStorage(storage)
}

/** Where a stored file is in a backup, whatever storage it comes from. */
export const pathOfStored = (key: string): string => `files/artifacts/${key.slice(-2)}/${key}`

/** The keys of a storage, without what a process that died has left in it. */
export const keysIn = async (storage: ArtifactStorage): Promise<string[]> => {
  const keys: string[] = []
  for await (const { key } of storage.list?.() ?? []) if (/^[\w-]+$/.test(key)) keys.push(key)
  return keys.toSorted()
}

/** Writes bytes into a new file, and returns their size and hash. */
export const writeBackupFile = async (from: Readable, to: string): Promise<Omit<BackupFile, 'path'>> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 })
  const hash = createHash('sha256')
  let size = 0
  const counted = new PassThrough().on('data', (chunk: Buffer) => {
    size += chunk.length
    hash.update(chunk)
  })
  await pipeline(from, counted, createWriteStream(to, { flags: 'wx', mode: 0o600, flush: true }))
  return { size, sha256: hash.digest('hex') }
}

/** Makes the names in a folder durable. */
export const syncFolder = async (path: string): Promise<void> => {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

export const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const hashOf = async (bytes: Readable): Promise<string> => {
  const hash = createHash('sha256')
  await pipeline(bytes, hash)
  return hash.digest('hex')
}

/** Size and SHA-256 of a file; undefined if there is none. */
export const measure = async (path: string): Promise<Omit<BackupFile, 'path'> | undefined> => {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  return { size: found.size, sha256: await hashOf(createReadStream(path)) }
}

/** The same of a stored file. */
export const measureStored = async (storage: ArtifactStorage, key: string): Promise<Omit<BackupFile, 'path'> | undefined> => {
  const size = await storage.size(key)
  return size === undefined ? undefined : { size, sha256: await hashOf(await storage.read(key)) }
}

export const isSame = (one: Omit<BackupFile, 'path'> | undefined, other: Omit<BackupFile, 'path'>): boolean =>
  one?.size === other.size && one.sha256 === other.sha256
