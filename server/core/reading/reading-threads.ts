import type { Logger } from '../log'
import type { ByteReader } from '../storage/stored-bytes'
import { type Outcome, ReadingThread, type Task } from './reading-thread'

/** Of what a thread may hold in JavaScript, in MB; a file of the largest size and number of values needs less. */
export const readingMemoryMb = 256

/** Threads are kept for the next file so long. */
const idleMs = 30_000

/** Who waits for a file has own threads, so that a large one of a job does not keep a person waiting. */
const lanes = { requests: 2, uploads: 1, jobs: 2 } as const
export type Lane = keyof typeof lanes

const isSource = import.meta.url.endsWith('.ts')
const programUrl = new URL(isSource ? './source-program.mjs' : './reading-program.mjs', import.meta.url)

/** The threads of one lane. They start when they are needed, and a file waits while all of them work. */
export class ReadingThreads {
  readonly #most: number
  readonly #program: URL
  readonly #memoryMb: number
  readonly #idle = new Map<ReadingThread, NodeJS.Timeout>()
  readonly #waiting: (() => void)[] = []
  #taken = 0

  constructor(most: number, program: URL = programUrl, memoryMb = readingMemoryMb) {
    this.#most = most
    this.#program = program
    this.#memoryMb = memoryMb
  }

  #findIdle(): ReadingThread | undefined {
    for (const [thread, timer] of this.#idle) {
      clearTimeout(timer)
      this.#idle.delete(thread)
      if (!thread.isOver) return thread
    }
    return undefined
  }

  #keep(thread: ReadingThread) {
    if (thread.isOver) return
    const timer = setTimeout(() => {
      this.#idle.delete(thread)
      void thread.end()
    }, idleMs)
    this.#idle.set(thread, timer.unref())
  }

  async run<Result>(task: Task): Promise<Outcome<Result>> {
    // The thread of the task before is passed on with its place.
    if (this.#taken < this.#most) this.#taken += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const thread = this.#findIdle() ?? new ReadingThread(this.#program, this.#memoryMb)
    try {
      return await thread.run<Result>(task)
    } finally {
      this.#keep(thread)
      const next = this.#waiting.shift()
      if (next) next()
      else this.#taken -= 1
    }
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#idle.keys(), (thread) => thread.end()))
  }
}

const threads = Object.fromEntries(Object.entries(lanes).map(([lane, most]) => [lane, new ReadingThreads(most)])) as Readonly<
  Record<Lane, ReadingThreads>
>

type Reading<Given, Piece, Batch> = {
  given: Given
  files?: readonly ByteReader[]
  batches?: AsyncIterable<Batch>
  take?: (piece: Piece) => Promise<void> | void
  /** Of this process, for an error of the reader itself. */
  log: Pick<Logger, 'error'>
}

/** Seconds of work for files of so many bytes: hashing and searching need a second for 16 MiB on the slowest machines. */
export const secondsFor = (bytes: number): number => 30 + Math.ceil(bytes / 16_777_216)

/**
 * What reads foreign files: it works in a thread of this process with limits of time and memory, and never in the thread that answers
 * requests. `name` is that of the reader in `server/reading-program.ts`, with the same types.
 */
export const defineReading =
  <Given, Result, Piece = never, Batch = never>(name: string, lane: Lane) =>
  async (
    { given, files = [], batches, take, log }: Reading<Given, Piece, Batch>,
    ownThreads: ReadingThreads = threads[lane],
  ): Promise<Outcome<Result>> => {
    const seconds = secondsFor(files.reduce((sum, { size }) => sum + size, 0))
    const outcome = await ownThreads.run<Result>({
      reader: name,
      given,
      files,
      batches: batches?.[Symbol.asyncIterator](),
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both sides have the types of one reader
      take: take && ((piece) => take(piece as Piece)),
      seconds,
    })
    if (outcome.kind !== 'stopped' || outcome.by !== 'failure') return outcome
    log.error({ reader: name, failure: outcome.text }, 'a reader of foreign files failed')
    return { ...outcome, text: 'It could not be read' }
  }
