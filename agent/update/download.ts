import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory } from '../core/files'
import { hashFile } from '../core/hash'
import { backoff, pauseAfter, wait } from '../core/wait'
import { type Connection, reasonOf, Refused, send, Unreachable } from '../api-client/http'
import { asksToWait, isDelimited, isFinal, placeOf, sourceOf, UnusableAnswer } from './answer'
import { Aborted, FileUnavailable, isNoSpace, UpdateFailure } from './failure'
import { openPart, type Part, restart, writeWhole } from './part'

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

/** Puts the bytes of one answer in their place. The timeout restarts with each chunk, so a slow download may take any time. */
const receive = async (
  connection: Connection,
  expected: ExpectedFile,
  part: Part,
  { signal, onBytes }: Options,
): Promise<string> => {
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(), connection.timeoutMs)
  try {
    const response = await request(connection, expected, part, AbortSignal.any([signal, idle.signal]))
    const source = sourceOf(response, `${connection.origin}${expected.path}`)
    const place = placeOf(response, expected, part.done)
    if (place === null) {
      response.body?.cancel().catch(() => {})
      throw new UnusableAnswer(source)
    }
    if (place.start < part.done) await restart(part)
    for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
      timer.refresh()
      if (part.done + piece.length > place.end) {
        await restart(part)
        throw new UnusableAnswer(`more than the ${place.end} bytes that were asked for: ${source}`)
      }
      await writeWhole(part, piece)
      part.hash.update(piece)
      part.done += piece.length
      onBytes(part.done)
    }
    if (part.done === place.end) return source
    if (place.start > 0 || !isDelimited(response)) throw new Unreachable(`The answer ended too early (${source})`)
    await restart(part)
    throw new UnusableAnswer(source)
  } catch (error) {
    if (signal.aborted) throw new Aborted('The download was stopped')
    if (isAnswerError(error) || isDiskError(error)) throw error
    throw new Unreachable(idle.signal.aborted ? 'No data was received in time' : reasonOf(error), { cause: error })
  } finally {
    clearTimeout(timer)
  }
}

/** A longer pause would block the whole agent during one update. */
const maxPauseMs = 300_000

const isAnswerError = (error: unknown) =>
  error instanceof Unreachable || error instanceof Refused || error instanceof UnusableAnswer

const isDiskError = (error: unknown) =>
  isNoSpace(error) || (error instanceof Error && 'syscall' in error && error.syscall === 'write')

/** What the update ends with where no retry is left. */
const toFailure = (error: Error, address: string): UpdateFailure => {
  if (error instanceof UnusableAnswer)
    return new UpdateFailure('download_incomplete', `The answer is not the file: ${error.message}`)
  const status = error instanceof Refused ? `${error.status}, ` : ''
  return new UpdateFailure('network_error', `${error.message} (${status}from ${address})`)
}

const pause = async (failures: number, askedMs: number | null, { firstDelayMs = 200, signal }: Options) => {
  await wait(Math.min(pauseAfter(backoff(failures, firstDelayMs, 30_000), askedMs), maxPauseMs), signal)
  if (signal.aborted) throw new Aborted('The download was stopped')
}

/** Ends the download after a refusal that no retry changes, or that asks to wait for too long. */
const throwFinal = (error: Refused, waits: number, { retries }: Options) => {
  if (error.code === 'damaged') throw new FileUnavailable(error.message)
  if (asksToWait(error) && (waits > retries || (error.retryAfterMs ?? 0) > maxPauseMs)) throw new FileUnavailable(error.message)
  if (isFinal(error)) throw error.status < 404 ? error : new UpdateFailure('download_incomplete', error.message)
}

/** Requests the remaining bytes until the part has the size of the file; returns where the last ones came from. */
const downloadRest = async (connection: Connection, expected: ExpectedFile, part: Part, options: Options): Promise<string> => {
  let failures = 0
  let waits = 0
  let source = 'from the disk'
  while (part.done < expected.size) {
    const before = part.done
    if (before > 0) options.onResumed(before)
    try {
      source = await receive(connection, expected, part, options)
      failures = 0
      waits = 0
    } catch (error) {
      if (!isAnswerError(error)) throw error
      const asked = error instanceof Refused ? error.retryAfterMs : null
      if (asksToWait(error)) waits++
      else failures = part.done > before ? 1 : failures + 1
      if (error instanceof Refused) throwFinal(error, waits, options)
      if (failures > options.retries) throw toFailure(error, `${connection.origin}${expected.path}`)
      if (error instanceof Refused && error.status === 416) await restart(part)
      await pause(failures + waits, asked, options)
    }
  }
  return source
}

/** Whole files with a wrong hash that are fetched again: each costs the volume of the file. */
const mostWrongFiles = 2

const hashOf = async (path: string) => (existsSync(path) ? hashFile(path) : null)

/**
 * Downloads one file to `target`: continues an earlier download, hashes during writing, and renames the file only when it has
 * the signed hash. Bytes with another hash are thrown away and fetched again from the beginning: a power cut can damage what was there,
 * and a network what has arrived.
 */
export const download = async (
  connection: Connection,
  expected: ExpectedFile,
  target: string,
  options: Options,
): Promise<void> => {
  const partPath = `${target}.part`
  if ((await hashOf(target)) === expected.sha256) return
  await rm(target, { force: true })
  const part = await openPart(partPath, expected.size)
  try {
    // What was on the disk before says nothing about what arrives.
    let wrong = part.done > 0 ? -1 : 0
    for (;;) {
      const source = await downloadRest(connection, expected, part, options)
      const found = part.hash.digest('hex')
      if (found === expected.sha256) break
      await restart(part)
      if (++wrong > Math.min(options.retries, mostWrongFiles)) {
        await rm(partPath, { force: true })
        throw new UpdateFailure('hash_mismatch', `The bytes have the hash ${found}; ${expected.sha256} was signed (${source})`)
      }
      if (wrong > 0) await pause(wrong, null, options)
    }
    await part.handle.sync()
  } finally {
    await part.handle.close()
  }
  await rename(partPath, target)
  syncDirectory(dirname(target))
}
