import { createHash } from 'node:crypto'
import type { ManifestFile } from '../../contract/device/manifest'
import { backoff, pauseAfter, wait } from '../core/wait'
import { type Connection, Refused, send, Unreachable } from '../api-client/http'

/** A release is simulated as a bad one if a file of it contains these bytes near its beginning. */
const badMarker = 'teasel:bad-release'

/** Within this many bytes. */
const markerRange = 4096
/** A whole file may take this long. */
const timeoutMs = 600_000

export type FetchedAsset = { sha256: string; bytes: number; isBad: boolean }

/**
 * Downloads one file completely and keeps only its hash, so that a whole fleet verifies real bytes without a disk. `cutAt`
 * closes the connection once at that byte; the rest is requested as a range, as an agent does.
 */
export const fetchAsset = async (
  connection: Connection,
  file: ManifestFile,
  cutAt: number | null,
  callbacks: { onBytes: (done: number) => void; onResumed: (done: number) => void },
  stopping: AbortSignal,
): Promise<FetchedAsset> => {
  const hash = createHash('sha256')
  let done = 0
  let beginning = Buffer.alloc(0)
  let cut = cutAt
  for (let failures = 0; done < file.size;) {
    const stop = new AbortController()
    try {
      if (done > 0) callbacks.onResumed(done)
      const headers: Record<string, string> = done > 0 ? { range: `bytes=${done}-`, 'if-range': `"sha256-${file.sha256}"` } : {}
      const response = await send(connection, { method: 'GET', path: file.path, headers, signal: stop.signal }, timeoutMs)
      if (done > 0 && response.status !== 206) throw new Error(`The server answered a range with ${response.status}`)
      if (!response.body) throw new Unreachable('The answer has no body')
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        const wanted = cut === null ? piece : piece.subarray(0, Math.max(0, cut - done))
        hash.update(wanted)
        if (beginning.length < markerRange) beginning = Buffer.concat([beginning, wanted]).subarray(0, markerRange)
        done += wanted.length
        if (done > file.size) throw new Error('The server sends more than was signed')
        callbacks.onBytes(done)
        if (cut === null || done < cut) continue
        cut = null
        throw new Unreachable('The connection was lost')
      }
      if (done < file.size) throw new Unreachable('The answer ended too early')
    } catch (error) {
      stop.abort()
      const isTemporary =
        error instanceof Unreachable ||
        (error instanceof Refused && error.status >= 500) ||
        (error instanceof TypeError && done > 0)
      if (!isTemporary || ++failures > 10) throw error
      await wait(pauseAfter(backoff(failures, 100, 30_000), error instanceof Refused ? error.retryAfterMs : null), stopping)
      if (stopping.aborted) throw error
    }
  }
  return { sha256: hash.digest('hex'), bytes: done, isBad: beginning.includes(badMarker) }
}
