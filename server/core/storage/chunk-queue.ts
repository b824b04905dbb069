/** Received bytes that are not written yet. */
export class ChunkQueue {
  #chunks: Buffer[] = []
  /** So many bytes of the first chunk are taken. */
  #start = 0
  bytes = 0

  push(chunk: Buffer): void {
    this.#chunks.push(chunk)
    this.bytes += chunk.length
  }

  /** Removes all bytes. */
  takeAll(): Buffer[] {
    const [first, ...others] = this.#chunks
    this.#chunks = []
    this.bytes = 0
    const start = this.#start
    this.#start = 0
    return first ? [start === 0 ? first : first.subarray(start), ...others] : []
  }

  /** Moves the first bytes, as many as the target has. Returns the chunks of which nothing is left. */
  moveTo(target: Buffer): Buffer[] {
    let at = 0
    let used = 0
    for (const chunk of this.#chunks) {
      const end = Math.min(chunk.length, this.#start + target.length - at)
      at += chunk.copy(target, at, this.#start, end)
      this.#start = end
      if (end < chunk.length) break
      this.#start = 0
      used++
    }
    this.bytes -= at
    return this.#chunks.splice(0, used)
  }
}
