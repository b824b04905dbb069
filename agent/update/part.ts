import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/** The incomplete file on disk, with the hash of the bytes that it has. */
export type Part = { handle: FileHandle; hash: Hash; done: number }

export const openPart = async (path: string, size: number): Promise<Part> => {
  const handle = await open(path, existsSync(path) ? 'r+' : 'w+', 0o600)
  const hash = createHash('sha256')
  let { size: done } = await handle.stat()
  if (done > size) {
    await handle.truncate(0)
    done = 0
  }
  if (done > 0) for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return { handle, hash, done }
}

export const restart = async (part: Part) => {
  await part.handle.truncate(0)
  part.hash = createHash('sha256')
  part.done = 0
}

/** A write takes only a part of the bytes where the disk becomes full; the next one fails. */
export const writeWhole = async ({ handle, done }: Part, piece: Uint8Array): Promise<void> => {
  for (let at = 0; at < piece.length;) at += (await handle.write(piece, at, piece.length - at, done + at)).bytesWritten
}
