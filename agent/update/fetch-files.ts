import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../../contract/device/manifest'
import { hashFile } from '../core/hash'
import { makeDirectory } from '../core/files'
import { type Device, neededFiles } from '../device'
import { Refused, untrusted } from '../api-client/http'
import { type Attempt } from '../state/store'
import { subjectOf } from '../state/outbox'
import { download } from './download'
import { Aborted, UpdateFailure } from './failure'
import { getModeOfAttempt } from './install-modes'
import { requireSpace } from './space'

const progressStep = 5

const sizeOrZero = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/**
 * Requires the space of the missing downloads and of the installation, as far as it is known: that of an archive is known once it is
 * on disk.
 */
export const checkSpace = async (device: Device, attempt: Attempt, manifest: Manifest): Promise<void> => {
  const { paths } = device
  const missing = neededFiles(manifest).reduce(
    (sum, { size, sha256 }) =>
      sum + Math.max(0, size - sizeOrZero(paths.blob(sha256)) - sizeOrZero(`${paths.blob(sha256)}.part`)),
    0,
  )
  const installation = await getModeOfAttempt(attempt).spaceNeeds(device, attempt, manifest)
  requireSpace([{ folder: paths.staging, bytes: missing }, ...installation])
}

/** Removes files of earlier updates that this one does not need. */
const prune = ({ paths }: Device, manifest: Manifest) => {
  const kept = new Set(neededFiles(manifest).flatMap(({ sha256 }) => [sha256, `${sha256}.part`]))
  for (const name of readdirSync(paths.staging))
    if (!kept.has(name)) rmSync(join(paths.staging, name), { recursive: true, force: true })
}

/** Downloads all files of a release into the staging folder, with progress reports; an abort by the server ends it. */
export const fetchFiles = async (device: Device, attempt: Attempt, manifest: Manifest): Promise<void> => {
  const { api, config, connection, log, outbox, paths, stopping } = device
  const subject = subjectOf(attempt)
  makeDirectory(paths.staging)
  prune(device, manifest)
  await checkSpace(device, attempt, manifest)
  const files = neededFiles(manifest)
  const total = files.reduce((sum, { size }) => sum + size, 0)
  const abort = new AbortController()
  let finished = 0
  let shown = -1
  const progress = (bytes: number) => {
    const percent = Math.floor((100 * bytes) / total)
    if (percent < shown + progressStep && percent < 100) return
    shown = percent
    outbox.note(subject, 'download_progress', { progress_percent: percent, bytes_done: bytes, bytes_total: total })
    // Reports may wait; only the server's request to stop matters here.
    outbox.flush(api).then(
      (stop) => stop && abort.abort(),
      () => {},
    )
  }
  const isOwnServer = attempt.origin === connection.origin
  const source = isOwnServer ? connection : untrusted(connection, attempt.origin)
  outbox.note(subject, 'download_started', { bytes_done: 0, bytes_total: total })
  const startedAt = performance.now()
  for (const file of files) {
    await download(source, file, paths.blob(file.sha256), {
      retries: config.download_retries,
      signal: AbortSignal.any([stopping, abort.signal]),
      onResumed: (bytes) => {
        log.info(`Resuming ${file.name} at ${bytes} of ${file.size} bytes`)
        outbox.note(subject, 'download_resumed', { bytes_done: finished + bytes, bytes_total: total })
      },
      onBytes: (bytes) => progress(finished + bytes),
    }).catch((error: unknown) => {
      // What another host refuses says nothing about the device at its server, such as that its token has ended.
      throw error instanceof Refused && !isOwnServer ? new UpdateFailure('download_incomplete', error.message) : error
    })
    finished += file.size
  }
  const duration = Math.round(performance.now() - startedAt)
  outbox.note(subject, 'download_completed', {
    progress_percent: 100,
    bytes_done: total,
    bytes_total: total,
    duration_ms: duration,
  })
  if (abort.signal.aborted || (await outbox.flush(api).catch(() => false))) throw new Aborted('The server asked to stop')
}

/** Hashes the files on disk once more: the power may have been off between download and installation. */
export const checkFiles = async ({ paths }: Device, manifest: Manifest): Promise<void> => {
  for (const { name, sha256 } of neededFiles(manifest)) {
    const path = paths.blob(sha256)
    if ((await hashFile(path)) === sha256) continue
    rmSync(path, { force: true })
    throw new UpdateFailure('hash_mismatch', `${name} on disk differs from the signed file`)
  }
}
