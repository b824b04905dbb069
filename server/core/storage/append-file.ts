import { open } from 'node:fs/promises'
import type { Appender } from '../deps'

/** The receiver waits when so many bytes are not written yet. */
const mostQueuedBytes = 8 * 1024 * 1024

/** Writes behind the receiver, which hashes the next chunks meanwhile. */
export const appendToFile = async (path: string, offset: number): Promise<Appender> => {
  const file = await open(path, 'r+')
  let written = offset
  let queue: Buffer[] = []
  let queued = 0
  let writing: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  const writeAll = async (chunks: Buffer[]) => {
    let left = chunks
    while (left.length > 0) {
      let { bytesWritten: done } = await file.writev(left, written)
      written += done
      queued -= done
      while (done >= (left[0]?.length ?? Infinity)) done -= left.shift()?.length ?? 0
      if (done > 0 && left[0]) left = [left[0].subarray(done), ...left.slice(1)]
    }
  }
  const drain = async () => {
    // What the socket has now is taken first, so that a write has many chunks.
    await new Promise(setImmediate)
    try {
      while (queue.length > 0) {
        const chunks = queue
        queue = []
        await writeAll(chunks)
      }
    } catch (error) {
      failure ??= { error }
    }
    writing = undefined
  }
  const flush = async () => {
    await writing
    if (failure) throw failure.error
  }
  return {
    write: (chunk) => {
      // Nothing is written behind a gap.
      if (failure) return flush()
      queue.push(chunk)
      queued += chunk.length
      writing ??= drain()
      return queued > mostQueuedBytes ? flush() : undefined
    },
    checkpoint: async () => {
      const durable = written
      await file.datasync()
      return durable
    },
    flush,
    end: async () => {
      try {
        await writing
        await file.sync()
        return written
      } finally {
        await file.close()
      }
    },
  }
}
