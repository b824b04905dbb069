import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'

const most = 500

/** Running hashes of uploads by offset. A cache of this process: what is missing is read again from the file. */
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

  /** The hash of the first `offset` bytes. Another process may have written since: then the cached offset differs. */
  async upTo(id: string, file: string, offset: number): Promise<Hash> {
    const known = this.#known.get(id)
    if (known?.offset === offset) return known.hash.copy()
    const hash = createHash('sha256')
    if (offset > 0) for await (const chunk of createReadStream(file, { end: offset - 1 })) hash.update(chunk as Buffer)
    return hash
  }
}
