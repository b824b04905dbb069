import { type FileHandle, open } from 'node:fs/promises'
import type { Append, Appender } from '../deps'
import { ChunkQueue } from './chunk-queue'
import { alignment, blockBytes, giveBlock, openDirect, takeBlock } from './direct-writes'
import { freeMemory } from './free-memory'

/** The receiver waits when so many bytes are not written yet. */
const mostQueuedBytes = 4 * 1024 * 1024

/** So long the first bytes of a block wait for the others. */
const blockWaitMs = 50

/** One block of a file is written while the one before is hashed and the next one is filled. */
const mostBlocksOfFile = 4

/**
 * Writes behind the receiver. Bytes that arrive fast are copied into blocks and written directly: writing them through the cache of the
 * operating system takes more processor time than receiving them. Bytes are hashed in their order when they leave the queue.
 */
export const appendToFile = async (
  path: string,
  { offset, ownsChunks = false, hash }: Omit<Append, 'size'>,
): Promise<Appender> => {
  const file = await open(path, 'r+')
  const queue = new ChunkQueue()
  let direct: FileHandle | undefined
  let isDirectTried = false
  /** Filled and not written yet; the first one may be just being written. */
  const filled: { block: Buffer; hashed: Promise<void> | undefined }[] = []
  /** Written, and read by the hash. */
  const hashing = new Set<Promise<void>>()
  let written = offset
  /** Where the bytes of the queue begin in the file. */
  let taken = offset
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
    let left = [...chunks]
    while (left.length > 0) {
      let { bytesWritten: done } = await file.writev(left, written)
      written += done
      while (done >= (left[0]?.length ?? Infinity)) done -= left.shift()?.length ?? 0
      if (done > 0 && left[0]) left = [left[0].subarray(done), ...left.slice(1)]
    }
  }
  const writeChunks = async (chunks: Buffer[]) => {
    for (const { length } of chunks) taken += length
    const hashed = chunks.map(async (chunk) => hash?.update(chunk))
    await writeAll(chunks)
    await Promise.all(hashed)
    if (ownsChunks) freeMemory(chunks)
  }
  const fillBlocks = () => {
    if (!direct) return
    while (queue.bytes >= blockBytes && taken % alignment === 0 && filled.length + hashing.size < mostBlocksOfFile) {
      const block = takeBlock()
      if (!block) return
      const chunks = queue.moveTo(block)
      if (ownsChunks) freeMemory(chunks)
      taken += block.length
      filled.push({ block, hashed: hash?.update(block) })
    }
  }
  /** Gives the first block back once it is hashed. */
  const releaseBlock = () => {
    const { block, hashed } = filled.shift() ?? {}
    if (!block) return
    if (!hashed) return giveBlock(block)
    const released = hashed.then(() => {
      giveBlock(block)
      hashing.delete(released)
    })
    hashing.add(released)
  }
  const writeBlock = async (to: FileHandle, block: Buffer) => {
    // Refused by a device with larger pages, or written in part: the rest is written like other bytes.
    const { bytesWritten: done } = await to.write(block, 0, blockBytes, written).catch(() => ({ bytesWritten: 0 }))
    written += done
    if (done < blockBytes) await writeAll([block.subarray(done)])
  }
  const writeSome = async () => {
    if (queue.bytes >= blockBytes && !isDirectTried) {
      isDirectTried = true
      direct = await openDirect(path)
    }
    fillBlocks()
    const [next] = filled
    if (next && direct) return writeBlock(direct, next.block).finally(releaseBlock)
    if (!direct || queue.bytes < blockBytes) return writeChunks(queue.takeAll())
    const over = taken % alignment
    if (over > 0) {
      const bytes = Buffer.alloc(alignment - over)
      queue.moveTo(bytes)
      return writeChunks([bytes])
    }
    // The hash is slower than the disk, or other files have all blocks.
    return hashing.size > 0 ? Promise.race(hashing) : writeChunks(queue.takeAll())
  }
  const drain = async () => {
    try {
      while (filled.length > 0 || queue.bytes > 0) {
        if (filled.length === 0 && queue.bytes < blockBytes && !isFlushing) await waitForBlock()
        await writeSome()
        if (taken - written + queue.bytes <= mostQueuedBytes) makeRoom()
      }
    } catch (error) {
      failure ??= { error }
      while (filled.length > 0) releaseBlock()
    }
    writing = undefined
    makeRoom()
  }
  const flush = async () => {
    isFlushing = true
    wake()
    await writing
    await Promise.all(hashing)
    isFlushing = false
    if (failure) throw failure.error
  }
  return {
    write: (chunk) => {
      // Nothing is written behind a gap.
      if (failure) return flush()
      queue.push(chunk)
      fillBlocks()
      writing ??= drain()
      if (queue.bytes >= blockBytes) wake()
      return taken - written + queue.bytes > mostQueuedBytes ? new Promise((resolve) => (makeRoom = resolve)) : undefined
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
        await Promise.all([file.close(), direct?.close()])
      }
    },
  }
}
