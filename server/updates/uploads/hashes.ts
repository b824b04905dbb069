import { availableParallelism } from 'node:os'
import type { IncomingFiles } from '../../core/deps'
import { HashingThread } from './hashing-thread'
import { startHash, type UploadHash } from './upload-hash'

const most = 500

/** Uploads of this size and more are hashed in a thread of their own, in bytes. */
const threadFromBytes = 16 * 1024 * 1024

type Part = { offset: number; size: number }

/** Running hashes of uploads by offset. A cache of this process: what is missing is read again where the storage can read it. */
export class Hashes {
  readonly #known = new Map<string, { hash: UploadHash; offset: number }>()
  readonly #thread: HashingThread

  constructor(onThreadFailure: (error: Error) => void) {
    this.#thread = new HashingThread(onThreadFailure)
  }

  /** Keeps a hash that `upTo` has returned for the next request. */
  keep(id: string, hash: UploadHash, offset: number): void {
    this.forget(id)
    this.#known.set(id, { hash, offset })
    if (this.#known.size > most) this.forget(this.#known.keys().next().value ?? '')
  }

  /** Ends a hash that `upTo` has returned, unless it is kept. */
  release(id: string, hash: UploadHash | undefined): void {
    if (this.#known.get(id)?.hash !== hash) hash?.close()
  }

  /** Where the kept hash of an upload ends; undefined if none is kept. */
  offsetOf(id: string): number | undefined {
    return this.#known.get(id)?.offset
  }

  forget(id: string): void {
    this.#known.get(id)?.hash.close()
    this.#known.delete(id)
  }

  /**
   * The hash of the first `offset` bytes of `size`, which the caller keeps or releases; undefined if they cannot be read before the file is
   * complete. Another process may have written since: then the cached offset differs.
   */
  async upTo(id: string, { offset, size }: Part, { read }: Pick<IncomingFiles, 'read'>): Promise<UploadHash | undefined> {
    const known = this.#known.get(id)
    if (known?.offset === offset) {
      this.#known.delete(id)
      return known.hash
    }
    if (offset > 0 && !read) return undefined
    // A hash that is lost with the thread costs another read of the file.
    const isLarge = size >= threadFromBytes && availableParallelism() > 1
    const hash = read && isLarge ? this.#thread.start() : startHash()
    try {
      if (read && offset > 0)
        for await (const chunk of (await read(id, { start: 0, end: offset - 1 })) as AsyncIterable<Buffer>)
          await hash.update(chunk)
      return hash
    } catch (error) {
      hash.close()
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#thread.close()
  }
}
