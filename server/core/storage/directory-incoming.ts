import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactStorage, Deps, IncomingFiles } from '../deps'
import { appendToFile } from './append-file'

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** A copy between two file systems that a process left behind. */
const leftover = /^[0-9A-Z]{26}\.part\.[0-9a-f]{12}$/

const syncPath = async (path: string, flags: string) => {
  const file = await open(path, flags, 0o600)
  await file.sync().finally(() => file.close())
}

/** Unfinished files of a directory, moved into the storage by a rename. The length of a file is its true size. */
const directoryIncoming = (directory: string, storage: ArtifactStorage): IncomingFiles => {
  // The name is the server's own id, never the client's (T-15).
  const at = (key: string) => {
    if (!/^[0-9A-Z]{26}$/.test(key)) throw new Error('an upload is named by its id')
    return join(directory, `${key}.part`)
  }
  const read: IncomingFiles['read'] = async (key, range) => {
    const file = await open(at(key), 'r')
    return createReadStream('', { fd: file, highWaterMark: 2 ** 20, ...range })
  }
  const remove = (key: string) => rm(leftover.test(key) ? join(directory, key) : at(key), { force: true })
  return {
    begin: async (key) => {
      // The folder around it is created at the start only: later it is absent because its file system is not mounted.
      await mkdir(directory, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EEXIST') throw error
      })
      await syncPath(at(key), 'a')
      await syncPath(directory, 'r')
    },
    // Bytes written by a killed process count once they are synced (F-11).
    size: async (key, durable) => {
      try {
        const { size } = await stat(at(key))
        if (size === durable) return size
        await syncPath(at(key), 'r')
        return (await stat(at(key))).size
      } catch (error) {
        if (isMissing(error)) return 0
        throw error
      }
    },
    append: (key, how) => appendToFile(at(key), how),
    read,
    finish: async (key) => {
      if (storage.adopt) return storage.adopt(key, at(key))
      await storage.write(key, await read(key))
      await remove(key)
    },
    remove,
    async *list() {
      for (const name of await readdir(directory).catch(() => [])) {
        const found = await stat(join(directory, name)).catch(() => undefined)
        if (found?.isFile()) yield { key: name.replace(/\.part$/, ''), writtenAt: found.mtime }
      }
    },
  }
}

/** Where the files of unfinished uploads are: in the storage itself, or in the uploads directory. */
export const incomingOf = ({ config, storage }: Pick<Deps, 'config' | 'storage'>): IncomingFiles =>
  storage.incoming ?? directoryIncoming(config.uploadsDirectory, storage)
