import { type FileHandle, open } from 'node:fs/promises'
import type { Appender } from '../deps'
import { alignment, blockBytes, giveBlock, openDirect, takeBlock } from './direct-writes'
import { freeMemory } from './free-memory'

/** The receiver waits when so many bytes are not written yet. */
const mostQueuedBytes = 16 * 1024 * 1024

/** So long the first bytes of a block wait for the others. */
const blockWaitMs = 50

/** Chunks that are not written yet. */
class Queue {
  #chunks: Buffer[] = []
  bytes = 0

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.length
  }

  /** Removes the first bytes. */
  take(count: number): Buffer[] {
    const taken: Buffer[] = []
    let left = Math.min(count, this.bytes)
    this.bytes -= left
    let used = 0
    for (const chunk of this.#chunks) {
      if (left < chunk.length) break
      taken.push(chunk)
      left -= chunk.length
      used++
    }
    this.#chunks.splice(0, used)
    const [next] = this.#chunks
    if (left > 0 && next) {
      taken.push(next.subarray(0, left))
      this.#chunks[0] = next.subarray(left)
    }
    return taken
  }
}

/**
 * Writes behind the receiver, which hashes the next chunks meanwhile. Bytes that arrive fast are written directly in blocks:
 * writing them through the cache of the operating system takes more processor time than receiving them.
 */
export const appendToFile = async (path: string, offset: number, ownsChunks = false): Promise<Appender> => {
  const file = await open(path, 'r+')
  const queue = new Queue()
  let direct: Promise<FileHandle | undefined> | undefined
  let written = offset
  let writing: Promise<void> | undefined
  let failure: { error: unknown } | undefined
  let isFlushing = false
  let wake = () => {}
  let makeRoom = () => {}

  /** Until the queue fills a block, or nothing more is to come soon. */
  const waitForBlock = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, blockWaitMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const writeAll = async (chunks: Buffer[]) => {
    let left = chunks
    while (left.length > 0) {
      let { bytesWritten: done } = await file.writev(left, written)
      written += done
      while (done >= (left[0]?.length ?? Infinity)) done -= left.shift()?.length ?? 0
      if (done > 0 && left[0]) left = [left[0].subarray(done), ...left.slice(1)]
    }
  }
  const writeBlock = async (to: FileHandle, block: Buffer) => {
    let at = 0
    for (const chunk of queue.take(blockBytes)) {
      at += chunk.copy(block, at)
      if (ownsChunks) freeMemory(chunk)
    }
    // Refused by a device with larger pages, or written in part: the rest is written like other bytes.
    const { bytesWritten: done } = await to.write(block, 0, at, written).catch(() => ({ bytesWritten: 0 }))
    written += done
    if (done < at) await writeAll([block.subarray(done, at)])
  }
  const writeSome = async () => {
    direct ??= queue.bytes >= blockBytes ? openDirect(path) : undefined
    const to = await direct
    if (!to || queue.bytes < blockBytes) return writeAll(queue.take(queue.bytes))
    const over = written % alignment
    if (over > 0) return writeAll(queue.take(alignment - over))
    const block = takeBlock()
    if (!block) return writeAll(queue.take(queue.bytes))
    await writeBlock(to, block).finally(() => giveBlock(block))
  }
  const drain = async () => {
    try {
      while (queue.bytes > 0) {
        if (queue.bytes < blockBytes && !isFlushing) await waitForBlock()
        await writeSome()
        if (queue.bytes <= mostQueuedBytes) makeRoom()
      }
    } catch (error) {
      failure ??= { error }
    }
    writing = undefined
    makeRoom()
  }
  const flush = async () => {
    isFlushing = true
    wake()
    await writing
    isFlushing = false
    if (failure) throw failure.error
  }
  return {
    write: (chunk) => {
      // Nothing is written behind a gap.
      if (failure) return flush()
      queue.push(chunk)
      writing ??= drain()
      if (queue.bytes >= blockBytes) wake()
      return queue.bytes > mostQueuedBytes ? new Promise((resolve) => (makeRoom = resolve)) : undefined
    },
    checkpoint: async () => {
      const durable = written
      await file.datasync()
      return durable
    },
    flush,
    end: async () => {
      try {
        await flush().catch(() => undefined)
        await file.sync()
        return written
      } finally {
        await Promise.all([file.close(), direct?.then((to) => to?.close())])
      }
    },
  }
}
