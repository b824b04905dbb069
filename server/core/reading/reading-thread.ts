import { Worker } from 'node:worker_threads'
import type { ByteReader } from '../storage/stored-bytes'
import type { FromThread, ToThread } from './protocol'
import { WorkClock } from './work-clock'

/** A file that reaches a limit, or whose reader failed, was not read: `text` says why. */
export type Outcome<Result> =
  | { kind: 'read'; result: Result }
  | { kind: 'stopped'; by: 'time' | 'memory' | 'failure'; text: string }

export type Task = {
  reader: string
  given: unknown
  files: readonly ByteReader[]
  batches: AsyncIterator<unknown> | undefined
  take: ((piece: unknown) => Promise<void> | void) | undefined
  /** Seconds of work; waiting for the server does not count. */
  seconds: number
}

/** One thread, which has one task at a time. It ends with a task that reaches a limit. */
export class ReadingThread {
  readonly #worker: Worker
  readonly #memoryMb: number
  isOver = false

  constructor(program: URL, memoryMb: number) {
    this.#memoryMb = memoryMb
    // Without the loaders and the variables of this process: a thread with foreign bytes knows no secrets.
    this.#worker = new Worker(program, {
      execArgv: [],
      env: {},
      name: 'reading',
      resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    })
    this.#worker.unref()
    this.#worker.once('exit', () => (this.isOver = true))
    // Each task has its own listener.
    this.#worker.on('error', () => (this.isOver = true))
  }

  #send(message: ToThread, bytes?: Uint8Array<ArrayBuffer>) {
    this.#worker.postMessage(message, bytes ? [bytes.buffer] : [])
  }

  /** Rejects only if a file could not be read, or a piece not be taken: that says nothing about the file. */
  run<Result>({ reader, given, files, batches, take, seconds }: Task): Promise<Outcome<Result>> {
    return new Promise((resolve, reject) => {
      const worker = this.#worker
      const over = () => {
        clock.stop()
        worker.off('message', onMessage).off('error', onError).off('exit', onExit)
        worker.unref()
      }
      const stopped = (by: 'time' | 'memory' | 'failure', text: string) => {
        over()
        void this.end()
        resolve({ kind: 'stopped', by, text })
      }
      const broken = (error: unknown) => {
        over()
        void this.end()
        reject(error instanceof Error ? error : new Error(String(error)))
      }
      // It begins when the program of the thread is loaded.
      const clock = new WorkClock(seconds, () => stopped('time', `Reading it took longer than ${seconds} s`))
      const answer = (work: () => Promise<readonly [ToThread, Uint8Array<ArrayBuffer>?]>) => {
        clock.pause()
        void work().then(([message, bytes]) => {
          if (this.isOver) return
          clock.resume()
          this.#send(message, bytes)
        }, broken)
      }
      const onMessage = (message: FromThread) => {
        if (message.kind === 'bytes')
          answer(async () => {
            const { id, file, offset, length } = message
            const bytes = new Uint8Array((await files[file]?.read(offset, length)) ?? [])
            return [{ kind: 'bytes', id, bytes }, bytes]
          })
        else if (message.kind === 'batch')
          answer(async () => {
            const next = await batches?.next()
            return [{ kind: 'batch', batch: next?.value, isLast: next?.done !== false }]
          })
        else if (message.kind === 'piece')
          answer(async () => {
            await take?.(message.piece)
            return [{ kind: 'taken' }]
          })
        else if (message.kind === 'began') clock.resume()
        else if (message.kind === 'failed') stopped('failure', message.message)
        else {
          over()
          // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of the reader of this name
          resolve({ kind: 'read', result: message.result as Result })
        }
      }
      const onError = (error: Error & { code?: string }) => {
        if (error.code === 'ERR_WORKER_OUT_OF_MEMORY')
          stopped('memory', `Reading it needs more than ${this.#memoryMb} MB of memory`)
        else stopped('failure', error.stack ?? error.message)
      }
      const onExit = (code: number) => stopped('failure', `The thread ended with code ${code}`)
      worker.on('message', onMessage).on('error', onError).on('exit', onExit)
      worker.ref()
      this.#send({ kind: 'task', reader, given, sizes: files.map(({ size }) => size) })
    })
  }

  async end(): Promise<void> {
    this.isOver = true
    await this.#worker.terminate()
  }
}
