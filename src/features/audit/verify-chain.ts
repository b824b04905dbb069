import type { AuditChainPage } from '../../../contract/accounts/audit'
import type { ChainProgress } from '../../../contract/accounts/audit-verification'
import { startWorker } from '../../lib/start-worker'
// oxlint-disable-next-line import/default -- the build makes it
import workerUrl from './verification-worker.ts?worker&url'

type Read = (after: number, signal: AbortSignal) => Promise<AuditChainPage>

const askWorker = (worker: Worker, page: AuditChainPage, signal: AbortSignal): Promise<ChainProgress> =>
  new Promise((resolve, reject) => {
    const ending = new AbortController()
    const once = { once: true, signal: ending.signal }
    const settle = (work: () => void) => {
      ending.abort()
      work()
    }
    worker.addEventListener('message', ({ data }: MessageEvent<ChainProgress>) => settle(() => resolve(data)), once)
    worker.addEventListener('error', (event) => settle(() => reject(new Error(event.message || 'The worker failed'))), once)
    signal.addEventListener('abort', () => settle(() => reject(signal.reason as Error)), once)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has no origin to name
    worker.postMessage(page)
  })

/** Verifies a log in a worker. The next page is read while one is verified; at most two are in memory. */
export const verifyChain = async (read: Read, onProgress: (progress: ChainProgress) => void, signal: AbortSignal) => {
  const worker = startWorker(workerUrl)
  try {
    let page = await read(0, signal)
    for (;;) {
      const end = page.entries.at(-1)?.sequence
      const hasMore = end !== undefined && end < page.head.sequence
      const following = hasMore ? read(end, signal) : undefined
      // Its failure is reported when it is awaited.
      following?.catch(() => {})
      const progress = await askWorker(worker, page, signal)
      onProgress(progress)
      if (progress.done) return
      page = await (following ?? read(progress.last, signal))
    }
  } finally {
    worker.terminate()
  }
}
