import { createHash, type Hash } from 'node:crypto'
import type { IncomingFiles } from '../../core/deps'

const most = 500

/** Running hashes of uploads by offset. A cache of this process: what is missing is read again where the storage can read it. */
export class Hashes {
  readonly #known = new Map<string, { hash: Hash; offset: number }>()

  keep(id: string, hash: Hash, offset: number): void {
    this.#known.delete(id)
    this.#known.set(id, { hash: hash.copy(), offset })
    if (this.#known.size > most) this.forget(this.#known.keys().next().value ?? '')
  }

  forget(id: string): void {
    this.#known.delete(id)
  }

  /**
   * The hash of the first `offset` bytes; undefined if they cannot be read before the file is complete. Another process may have
   * written since: then the cached offset differs.
   */
  async upTo(id: string, offset: number, { read }: Pick<IncomingFiles, 'read'>): Promise<Hash | undefined> {
    const known = this.#known.get(id)
    if (known?.offset === offset) return known.hash.copy()
    const hash = createHash('sha256')
    if (offset === 0) return hash
    if (!read) return undefined
    for await (const chunk of (await read(id, { start: 0, end: offset - 1 })) as AsyncIterable<Buffer>) hash.update(chunk)
    return hash
  }
}
