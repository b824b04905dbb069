import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** A direct write begins at a multiple of this and is a multiple of it long: the size of a page, in bytes. */
export const alignment = 4096
/** A file uses few blocks of this size again and again: hashing memory of more than 12 MiB in turns takes half as much time again. */
export const blockBytes = 1024 * 1024
/** Of a process. */
export const mostBlocks = 16

let free: Buffer[] | undefined

const allocate = () => {
  const pages = (mostBlocks * blockBytes) / 65_536
  // Memory of WebAssembly is aligned to pages; that of a Buffer is not. Shared, so that another thread can hash it.
  const { buffer } = new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true })
  return Array.from({ length: mostBlocks }, (_, n) => Buffer.from(buffer, n * blockBytes, blockBytes))
}

/** Memory for a direct write, to be given back; undefined if all of it is in use. */
export const takeBlock = (): Buffer | undefined => (free ??= allocate()).pop()

export const giveBlock = (block: Buffer): void => void free?.push(block)

/** Writes to it pass by the cache of the operating system; undefined where the system or the file system has no such writes. */
export const openDirect = async (path: string): Promise<FileHandle | undefined> =>
  // oxlint-disable-next-line typescript/no-unnecessary-condition -- only Linux has it
  constants.O_DIRECT === undefined ? undefined : open(path, constants.O_WRONLY | constants.O_DIRECT).catch(() => undefined)
