import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { PassThrough, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Config } from '../core/config'
import type { BackupFile } from './manifest'

/** A folder whose files are part of a backup, and its name there. */
export type Root = { name: 'artifacts' | 'data'; path: string; skips: (path: string) => boolean }

// The database is copied as rows, logs and locks belong to the process, and `.part` files are incomplete.
const notKept = /^(postgres|postgres\..*|.*\.log(\.\d+)?|lock)$/

export const rootsOf = ({ dataDirectory, storage }: Config): Root[] => {
  if (storage.kind !== 'directory')
    throw new Error('A backup contains artifacts of a directory only. Copy the bucket separately.')
  const { path } = storage
  const isUnfinished = (file: string) => file.endsWith('.part')
  return [
    { name: 'artifacts', path, skips: isUnfinished },
    {
      name: 'data',
      path: dataDirectory,
      skips: (file) =>
        isUnfinished(file) ||
        notKept.test(relative(dataDirectory, file).split('/')[0] ?? '') ||
        file === path ||
        file.startsWith(`${path}/`),
    },
  ]
}

export const filesIn = async ({ path, skips }: Root): Promise<string[]> => {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return files.filter((file) => !skips(file)).toSorted()
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

export const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Size and SHA-256 of a file; undefined if there is none. */
export const measure = async (path: string): Promise<Omit<BackupFile, 'path'> | undefined> => {
  const found = await stat(path).catch(() => undefined)
  if (!found) return undefined
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return { size: found.size, sha256: hash.digest('hex') }
}

export const isSame = (one: Omit<BackupFile, 'path'> | undefined, other: Omit<BackupFile, 'path'>): boolean =>
  one?.size === other.size && one.sha256 === other.sha256
