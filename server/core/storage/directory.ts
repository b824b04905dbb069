import { createHash, randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import type { ArtifactStorage } from '../deps'

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const sync = async (path: string) => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

// Renames within one file system; between two, copies and syncs before the file gets its name.
const move = async (from: string, to: string) => {
  try {
    await rename(from, to)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EXDEV')) throw error
    const part = `${to}.${randomBytes(6).toString('hex')}.part`
    await copyFile(from, part)
    await sync(part)
    await rename(part, to)
    await rm(from, { force: true })
  }
}

/** Temporary name of a key during writing. */
const leftover = /^[0-9A-Za-z][0-9A-Za-z_-]{0,127}\.[0-9a-f]{12}\.part$/

const receive = async (bytes: Readable, part: string) => {
  const hash = createHash('sha256')
  const handle = await open(part, 'wx', 0o600)
  let size = 0
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      hash.update(chunk)
      size += chunk.length
      await handle.writeFile(chunk)
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return { size, sha256: hash.digest('hex') }
}

/** Artifact bytes as files. A write resolves once its file is synced to disk, and is complete or absent (F-17, T-16). */
export const directoryStorage = (directory: string): ArtifactStorage => {
  const at = (key: string) => {
    if (!/^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$/.test(key)) throw new Error('a storage key is letters, digits, _ and -')
    // The folder is the last two characters, because ids begin alike: each folder holds a thousandth of all files.
    return join(directory, key.slice(-2), key)
  }
  return {
    write: async (key, bytes) => {
      const path = at(key)
      const folder = dirname(path)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const part = `${path}.${randomBytes(6).toString('hex')}.part`
      try {
        const received = await receive(bytes, part)
        await rename(part, path)
        await sync(folder)
        return received
      } catch (error) {
        await rm(part, { force: true })
        throw error
      }
    },
    read: async (key, range) => {
      // Opened first, so that a missing file rejects this call and not the stream.
      const handle = await open(at(key), 'r')
      return createReadStream('', { fd: handle, ...range })
    },
    size: (key) =>
      stat(at(key)).then(
        (found) => found.size,
        // A file is missing only if its directory exists: an unmounted file system says nothing about its files.
        async (error: unknown) => (isMissing(error) && (await stat(directory)) ? undefined : Promise.reject(error)),
      ),
    // Temporary files of a process that died are removed by their own name.
    remove: (key) => rm(leftover.test(key) ? join(directory, key.slice(0, -18).slice(-2), key) : at(key), { force: true }),
    adopt: async (key, file) => {
      const path = at(key)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      await move(file, path)
      await sync(dirname(path))
    },
    stamp: (key) =>
      stat(at(key)).then(
        ({ size, mtimeMs, ctimeMs, ino }) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
        (error: unknown) => (isMissing(error) ? undefined : Promise.reject(error)),
      ),
    async *list() {
      // Longer names are other folders: `uploads` holds unfinished uploads.
      const folders = (await readdir(directory).catch(() => [])).filter((name) => name.length <= 2)
      for (const folder of folders)
        for (const name of await readdir(join(directory, folder)).catch(() => [])) {
          const found = await stat(join(directory, folder, name)).catch(() => undefined)
          if (found) yield { key: name, writtenAt: found.mtime }
        }
    },
  }
}
