import type { HashOrder, HashReport } from './hash-in-worker'
import { hashStream } from './hash-stream'

/** At most ten reports a second. */
const stepMs = 100

const report = (message: HashReport) => globalThis.postMessage(message, { transfer: [] })

const open = async (order: HashOrder): Promise<ReadableStream<Uint8Array> | number> => {
  if ('file' in order) return order.file.stream()
  // A cached answer would say nothing about the stored bytes.
  const response = await fetch(order.url, { cache: 'no-store' })
  return response.ok && response.body ? response.body : response.status
}

const hash = async (order: HashOrder): Promise<void> => {
  const stream = await open(order)
  if (typeof stream === 'number') return report({ status: stream })
  let told = performance.now()
  const hashed = await hashStream(stream, (size) => {
    const now = performance.now()
    if (now - told < stepMs) return
    told = now
    report({ size })
  })
  report({ hashed })
}

globalThis.addEventListener('message', ({ data }: MessageEvent<HashOrder>) => {
  hash(data).catch((error: unknown) => report({ failure: String(error) }))
})
