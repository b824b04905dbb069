import { createHash } from 'node:crypto'
import type { ManifestFile } from '../../contract/device/manifest'
import { backoff, pauseAfter, wait } from '../core/wait'
import { type Connection, Refused, send, Unreachable } from '../server/http'

/** These bytes near the beginning of a file mark a bad release. */
const badMark = 'teasel:bad-release'

export type Fetched = { sha256: string; bytes: number; isBad: boolean }

/**
 * Downloads one file completely in ranges and keeps only its hash, so that a whole fleet verifies real bytes without a disk.
 * `cutAt` breaks the connection once at that byte; the rest is fetched by Range as an agent would.
 */
export const fetchAsset = async (
  line: Connection,
  file: ManifestFile,
  cutAt: number | null,
  on: { bytes: (done: number) => void; resumed: (done: number) => void },
  stopping: AbortSignal,
): Promise<Fetched> => {
  const hash = createHash('sha256')
  let done = 0
  let head = Buffer.alloc(0)
  let cut = cutAt
  for (let failures = 0; done < file.size;) {
    const stop = new AbortController()
    try {
      if (done > 0) on.resumed(done)
      const headers: Record<string, string> = done > 0 ? { range: `bytes=${done}-`, 'if-range': `"sha256-${file.sha256}"` } : {}
      const response = await send(line, { method: 'GET', path: file.path, headers, signal: stop.signal }, 600_000)
      if (done > 0 && response.status !== 206) throw new Error(`The server answered a range with ${response.status}`)
      if (!response.body) throw new Unreachable('The answer has no body')
      for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
        const wanted = cut === null ? piece : piece.subarray(0, Math.max(0, cut - done))
        hash.update(wanted)
        if (head.length < 4096) head = Buffer.concat([head, wanted]).subarray(0, 4096)
        done += wanted.length
        if (done > file.size) throw new Error('The server sends more than was signed')
        on.bytes(done)
        if (cut === null || done < cut) continue
        cut = null
        throw new Unreachable('The connection was lost')
      }
      if (done < file.size) throw new Unreachable('The answer ended too early')
    } catch (error) {
      stop.abort()
      const again =
        error instanceof Unreachable ||
        (error instanceof Refused && error.status >= 500) ||
        (error instanceof TypeError && done > 0)
      if (!again || ++failures > 10) throw error
      await wait(pauseAfter(backoff(failures, 100, 30_000), error instanceof Refused ? error.retryAfterMs : null), stopping)
      if (stopping.aborted) throw error
    }
  }
  return { sha256: hash.digest('hex'), bytes: done, isBad: head.includes(badMark) }
}
