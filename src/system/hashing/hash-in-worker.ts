import { startWorker } from '../../lib/start-worker'
import type { Hashed } from './hash-stream'
// oxlint-disable-next-line import/default -- the default export of `?worker&url` is made by the build
import workerUrl from './hashing-worker.ts?worker&url'

export type HashOrder = { file: Blob } | { url: string }
/** Bytes so far; the result; the status of a refused request; or why the bytes could not be read. */
export type HashReport = { size: number } | { hashed: Hashed } | { status: number } | { failure: string }

/** The server refused to send the bytes. */
export class BytesRefused extends Error {
  override name = 'BytesRefused'
  readonly status: number
  constructor(status: number) {
    super(`The server answered ${status}`)
    this.status = status
  }
}

type Options = { signal: AbortSignal; onProgress?: (size: number) => void }

/**
 * SHA-256 of a file or of what a URL answers, in a thread of its own: the page stays responsive, and one chunk at a time is in
 * memory. Aborting ends the thread, and with it its request.
 */
export const hashInWorker = (order: HashOrder, { signal, onProgress }: Options): Promise<Hashed> =>
  new Promise<Hashed>((resolve, reject) => {
    signal.throwIfAborted()
    const worker = startWorker(workerUrl)
    const end = (settle: () => void) => {
      worker.terminate()
      signal.removeEventListener('abort', abort)
      settle()
    }
    const abort = () => end(() => reject(signal.reason as Error))
    signal.addEventListener('abort', abort)
    worker.addEventListener('error', (event) => end(() => reject(new Error(event.message || 'The worker failed'))))
    worker.addEventListener('message', ({ data }: MessageEvent<HashReport>) => {
      if ('hashed' in data) end(() => resolve(data.hashed))
      else if ('status' in data) end(() => reject(new BytesRefused(data.status)))
      else if ('failure' in data) end(() => reject(new Error(data.failure)))
      else onProgress?.(data.size)
    })
    worker.postMessage(order, [])
  })
