import { createHash, type Hash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../core/files'
import { backoff, pauseAfter, wait } from '../core/wait'
import { type Connection, reasonOf, Refused, send, Unreachable } from '../api-client/http'
import { Aborted, FileUnavailable, isNoSpace, UpdateFailure } from './failure'

/** A file of the signed manifest; `path` is that of its URL. */
export type ExpectedFile = { path: string; size: number; sha256: string }
export type Options = {
  /** Failures in a row, without a byte in between, that are tolerated. */
  retries: number
  signal: AbortSignal
  /** Delay before the second attempt; grows with each further one. */
  firstDelayMs?: number
  onResumed: (bytes: number) => void
  onBytes: (bytes: number) => void
}

/** The incomplete file on disk, with the hash of the bytes that it has. */
type Part = { handle: FileHandle; hash: Hash; done: number }

const openPart = async (path: string, size: number): Promise<Part> => {
  const handle = await open(path, existsSync(path) ? 'r+' : 'w+', 0o600)
  const hash = createHash('sha256')
  let { size: done } = await handle.stat()
  if (done > size) {
    await handle.truncate(0)
    done = 0
  }
  if (done > 0) for await (const piece of createReadStream(path)) hash.update(piece as Buffer)
  return { handle, hash, done }
}

const restart = async (part: Part) => {
  await part.handle.truncate(0)
  part.hash = createHash('sha256')
  part.done = 0
}

/** A range is appended only when the server confirms the range and the size of the whole file. */
const isContinuation = (response: Response, part: Part, size: number) =>
  response.status === 206 && response.headers.get('content-range') === `bytes ${part.done}-${size - 1}/${size}`

// The longest timer of Node.js, 24 days: `receive` limits the time between chunks instead.
const noTimeoutMs = 0x7fffffff

const request = async (connection: Connection, expected: ExpectedFile, part: Part, signal: AbortSignal) => {
  const headers = { range: `bytes=${part.done}-`, 'if-range': `"sha256-${expected.sha256}"`, 'accept-encoding': 'identity' }
  const call = {
    method: 'GET',
    path: expected.path,
    signal,
    headers: part.done > 0 ? headers : { 'accept-encoding': 'identity' },
  }
  return send(connection, call, noTimeoutMs)
}

/** A write takes only a part of the bytes where the disk becomes full; the next one fails. */
const writeWhole = async ({ handle, done }: Part, piece: Uint8Array): Promise<void> => {
  for (let at = 0; at < piece.length;) at += (await handle.write(piece, at, piece.length - at, done + at)).bytesWritten
}

/** Appends the bytes of one answer. The timeout restarts with each chunk, so a slow download may take any time. */
const receive = async (
  connection: Connection,
  expected: ExpectedFile,
  part: Part,
  { signal, onBytes }: Options,
): Promise<void> => {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(), connection.timeoutMs)
  try {
    const response = await request(connection, expected, part, AbortSignal.any([signal, idle.signal]))
    if (part.done > 0 && !isContinuation(response, part, expected.size)) await restart(part)
    if (!response.body) throw new Unreachable('The answer has no body')
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      timer.refresh()
      if (part.done + piece.length > expected.size)
        throw new UpdateFailure('hash_mismatch', `The server sent more than the ${expected.size} bytes that were signed`)
      await writeWhole(part, piece)
      part.hash.update(piece)
      part.done += piece.length
      onBytes(part.done)
    }
  } catch (error) {
    if (signal.aborted) throw new Aborted('The download was stopped')
    if (error instanceof Refused || error instanceof UpdateFailure || isDiskError(error)) throw error
    throw new Unreachable(idle.signal.aborted ? 'No data was received in time' : reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** A longer pause would block the whole agent during one update. */
const maxPauseMs = 300_000

const isDiskError = (error: unknown) =>
  isNoSpace(error) || (error instanceof Error && 'syscall' in error && error.syscall === 'write')

/** Refusals that a retry cannot change. */
const isFinal = (error: unknown) => error instanceof Refused && ![408, 416, 425, 429, 500, 502, 503, 504].includes(error.status)

/** Requests the remaining bytes until the part has the size of the file. */
const downloadRest = async (connection: Connection, expected: ExpectedFile, part: Part, options: Options): Promise<void> => {
  let failures = 0
  while (part.done < expected.size) {
    const before = part.done
    if (before > 0) options.onResumed(before)
    try {
      await receive(connection, expected, part, options)
      if (part.done < expected.size) throw new Unreachable('The answer ended too early')
    } catch (error) {
      if (!(error instanceof Unreachable || error instanceof Refused)) throw error
      if (error instanceof Refused && error.code === 'damaged') throw new FileUnavailable(error.message)
      if (isFinal(error))
        throw error instanceof Refused && error.status < 404 ? error : new UpdateFailure('download_incomplete', error.message)
      if (error instanceof Refused && error.status === 416) await restart(part)
      failures = part.done > before ? 1 : failures + 1
      if (failures > options.retries) throw new UpdateFailure('network_error', error.message)
      const asked = error instanceof Refused ? error.retryAfterMs : null
      const own = backoff(failures, options.firstDelayMs ?? 200, 30_000)
      await wait(Math.min(pauseAfter(own, asked), maxPauseMs), options.signal)
      if (options.signal.aborted) throw new Aborted('The download was stopped')
    }
  }
}

/**
 * Downloads one file to `target`: continues an earlier download, hashes during writing, and renames the file only when it has
 * the signed hash. A damaged part is fetched once more from its beginning, because a power cut can damage it.
 */
export const download = async (
  connection: Connection,
  expected: ExpectedFile,
  target: string,
  options: Options,
): Promise<void> => {
  const partPath = `${target}.part`
  if (existsSync(target) && (await stat(target)).size === expected.size) return
  const part = await openPart(partPath, expected.size)
  try {
    const resumed = part.done > 0
    await downloadRest(connection, expected, part, options)
    let found = part.hash.digest('hex')
    if (found !== expected.sha256 && resumed) {
      await restart(part)
      await downloadRest(connection, expected, part, options)
      found = part.hash.digest('hex')
    }
    if (found !== expected.sha256) {
      await rm(partPath, { force: true })
      throw new UpdateFailure('hash_mismatch', `The bytes have the hash ${found}; ${expected.sha256} was signed`)
    }
    await part.handle.sync()
  } finally {
    await part.handle.close()
  }
  await rename(partPath, target)
  syncDirectory(dirname(target))
}
