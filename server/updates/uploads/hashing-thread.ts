import { MessageChannel, type MessagePort, type Transferable, Worker } from 'node:worker_threads'
import type { UploadHash } from './upload-hash'

const connect = (port: MessagePort): UploadHash => {
  const waiting: ((answer: string | undefined) => void)[] = []
  let isOpen = true
  port.on('message', (answer: string | null) => waiting.shift()?.(answer ?? undefined))
  port.once('close', () => {
    isOpen = false
    for (const resolve of waiting.splice(0)) resolve(undefined)
  })
  // A hash that is kept for the next request does not keep the process alive.
  port.unref()
  const ask = (message: Uint8Array | null, transferred: readonly Transferable[] = []) =>
    new Promise<string | undefined>((resolve) => {
      if (!isOpen) return resolve(undefined)
      waiting.push(resolve)
      port.postMessage(message, transferred)
    })
  return {
    update: async (bytes) => {
      const isShared = bytes.buffer instanceof SharedArrayBuffer
      const sent = isShared ? bytes : new Uint8Array(bytes)
      await ask(sent, isShared ? [] : [sent.buffer as ArrayBuffer])
    },
    digest: () => ask(null),
    close: () => port.close(),
  }
}

const program = new URL('./hashing-program.mjs', import.meta.url)

/**
 * One thread that hashes large uploads while this one receives them. It starts with the first of them. When it ends unexpectedly, its
 * hashes have no digest: the files have to be read again.
 */
export class HashingThread {
  readonly #onFailure: (error: Error) => void
  readonly #program: URL
  readonly #ports = new Set<MessagePort>()
  #worker: Worker | undefined

  /** The program is another one in tests. */
  constructor(onFailure: (error: Error) => void, ownProgram = program) {
    this.#onFailure = onFailure
    this.#program = ownProgram
  }

  #start(): Worker {
    // Without the loaders of this process.
    const worker = new Worker(this.#program, { execArgv: [] })
    worker.unref()
    worker.on('error', this.#onFailure)
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined
      for (const port of this.#ports) port.close()
    })
    return worker
  }

  start(): UploadHash {
    this.#worker ??= this.#start()
    const { port1, port2 } = new MessageChannel()
    this.#ports.add(port1)
    port1.once('close', () => this.#ports.delete(port1))
    this.#worker.postMessage(port2, [port2])
    return connect(port1)
  }

  async close(): Promise<void> {
    await this.#worker?.terminate()
  }
}
