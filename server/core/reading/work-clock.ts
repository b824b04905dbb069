import { setImmediate as nextTurn } from 'node:timers/promises'

/**
 * Counts the time in which a thread works: not before its first `resume`, and not while it waits for bytes, since a storage may be slow.
 */
export class WorkClock {
  #leftMs: number
  #waits = 1
  #since = performance.now()
  #timer: NodeJS.Timeout | undefined
  #turns = 0
  readonly #onEnd: () => void

  constructor(seconds: number, onEnd: () => void) {
    this.#leftMs = seconds * 1000
    this.#onEnd = onEnd
  }

  #start() {
    this.#since = performance.now()
    this.#timer = setTimeout(() => void this.#check(), Math.max(this.#leftMs, 1))
  }

  /** The timers of a process that stood still end before its messages are read. */
  async #check() {
    const turns = this.#turns
    await nextTurn()
    await nextTurn()
    if (turns === this.#turns) this.#onEnd()
  }

  /** The thread waits for the server. */
  pause() {
    this.#turns += 1
    if (this.#waits++ > 0) return
    clearTimeout(this.#timer)
    this.#leftMs -= performance.now() - this.#since
  }

  resume() {
    if (--this.#waits === 0) this.#start()
  }

  stop() {
    this.#turns += 1
    clearTimeout(this.#timer)
  }
}
