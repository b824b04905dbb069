import { createHash } from 'node:crypto'
import type { RunningHash } from '../../core/deps'

/** The running hash of the bytes of an upload that were received so far. */
export type UploadHash = RunningHash & {
  /** In hexadecimal digits; undefined if the thread that hashed has ended. */
  digest(): Promise<string | undefined>
  close(): void
}

/** A hash in this thread. */
export const startHash = (): UploadHash => {
  const hash = createHash('sha256')
  return {
    update: (bytes) => {
      hash.update(bytes)
      return undefined
    },
    digest: async () => hash.copy().digest('hex'),
    close: () => {},
  }
}
