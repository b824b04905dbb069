import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  type StatsFs,
  statfsSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'

/** Syncs a directory, so that a rename or an unlink is durable. Windows does not sync directories. */
export const syncDirectory = (directory: string): void => {
  if (process.platform === 'win32') return
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Replaces a file atomically, also across a power cut: a reader sees the old bytes or the new ones, never a part. */
export const writeAtomically = (path: string, data: string | Uint8Array, mode = 0o600): void => {
  const fresh = `${path}.${randomBytes(4).toString('hex')}.new`
  const handle = openSync(fresh, 'wx', mode)
  try {
    try {
      fchmodSync(handle, mode)
      writeFileSync(handle, data)
      fsyncSync(handle)
    } finally {
      // A removed file keeps its blocks while it is open, and a full disk needs them.
      closeSync(handle)
    }
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
  syncDirectory(dirname(path))
}

/** The space of a file system; null if it cannot be asked, because it fails or is not mounted. */
export const spaceOf = (directory: string): StatsFs | null => {
  try {
    return statfsSync(directory)
  } catch {
    return null
  }
}

const unfinished = /^(.+)\.[0-9a-f]{8}\.new$/

/** Removes what kills have left of `writeAtomically`, for the files that `isOwn` names. A disk that refuses it changes nothing else. */
export const removeUnfinished = (directory: string, isOwn: (name: string) => boolean): void => {
  try {
    for (const name of readdirSync(directory)) {
      const file = unfinished.exec(name)?.[1]
      if (file !== undefined && isOwn(file)) rmSync(join(directory, name), { force: true })
    }
  } catch {
    // The folder is not there yet, or read-only.
  }
}

/** Creates a directory with those above it, and makes their names durable: what is synced in it would be lost with its name. */
export const makeDirectory = (path: string, mode = 0o700): void => {
  const whole = resolve(path)
  const first = mkdirSync(whole, { recursive: true, mode })
  if (first === undefined) return
  for (let folder = whole; folder.length >= first.length; folder = dirname(folder)) syncDirectory(dirname(folder))
}
