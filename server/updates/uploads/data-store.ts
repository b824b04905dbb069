import { DataStore, ERRORS, Upload } from '@tus/server'
import type { Readable } from 'node:stream'
import type { Appender, Deps, IncomingFiles } from '../../core/deps'
import { incomingOf } from '../../core/storage/directory-incoming'
import { bytesAboveLimit } from '../../core/storage/free-space'
import { type Body, ownsChunks, receive } from './body'
import { cancelUpload } from './cancel'
import { discardParts } from './ended'
import type { Hashes } from './hashes'
import type { UploadHash } from './upload-hash'
import { findUpload, updateOffsetIfOpen, type UploadRow } from './repository'

type Needs = Pick<Deps, 'config' | 'db' | 'clock' | 'diskSpace' | 'storage'>

type Received = { offset: number; size: number; hash: UploadHash | undefined }

const noSpace = { status_code: 507, body: '' }

const checkpointBytes = 16 * 1024 * 1024

/** Runs one check at a time while bytes arrive; the next `throwIfFailed` throws its failure. */
class Checks {
  readonly #check: () => Promise<void>
  #running: Promise<void> | undefined
  #failure: { error: unknown } | undefined

  constructor(check: () => Promise<void>) {
    this.#check = check
  }

  start(): void {
    this.#running ??= this.#check()
      .catch((error: unknown) => void (this.#failure = { error }))
      .finally(() => (this.#running = undefined))
  }

  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.error
  }

  async settled(): Promise<void> {
    await this.#running
  }
}

/**
 * Bytes of the uploads of one request: hashed on arrival, durable before their offset is acknowledged, and moved into the storage
 * when they are complete. What is stored is the true offset.
 */
export class UploadStore extends DataStore {
  override extensions = ['creation', 'expiration', 'termination']
  readonly #deps: Needs
  readonly #hashes: Hashes
  readonly #body: Body

  /** The body is read here and not from the stream that tus passes: its copies take longer than hashing. */
  constructor(deps: Needs, hashes: Hashes, body: Body) {
    super()
    this.#deps = deps
    this.#hashes = hashes
    this.#body = body
  }

  async #row(id: string): Promise<UploadRow> {
    const row = await findUpload(this.#deps.db, id)
    if (!row) throw ERRORS.FILE_NOT_FOUND
    const over = row.state === 'expired' || row.state === 'failed' || row.expiresAt <= this.#deps.clock()
    if (over && row.state !== 'complete') throw ERRORS.FILE_NO_LONGER_EXISTS
    return row
  }

  /** False when the upload has ended meanwhile: cancelled, or deleted with its file, release or project. */
  #note(id: string, offset: number): Promise<boolean> {
    return updateOffsetIfOpen(this.#deps.db, id, offset)
  }

  /** Checked with the server's clock instead of the library's. */
  override getExpiration(): number {
    return 0
  }

  override async create(upload: Upload): Promise<Upload> {
    await incomingOf(this.#deps).begin(upload.id)
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#row(id)
    this.#body.upload = row
    const facts = { id, size: row.size, metadata: { filename: row.fileName }, creation_date: row.createdAt.toISOString() }
    if (row.state === 'complete') return new Upload({ ...facts, offset: row.size })
    // A hash is kept only of bytes that are durable.
    const there = await incomingOf(this.#deps).size(id, this.#hashes.offsetOf(id))
    // All bytes may be in the storage already: the process that moved them died before it stored the result.
    const isStored = there === 0 && (await this.#deps.storage.size(id).catch(() => undefined)) === row.size
    return new Upload({ ...facts, offset: isStored ? row.size : Math.min(row.size, there) })
  }

  async #checkpoint(id: string, appender: Appender): Promise<void> {
    if (!(await this.#note(id, await appender.checkpoint()))) throw ERRORS.FILE_NO_LONGER_EXISTS
    if (this.#deps.storage.incoming) return
    // The route has checked before the first byte; the disk may fill during a long upload (F-19).
    if ((await bytesAboveLimit(this.#deps, this.#deps.config.uploadsDirectory)) < 0) throw noSpace
  }

  /** Syncs the file while the offset is stored: the answer waits for both, and the length of the file decides after a crash. */
  async #end(id: string, appender: Appender, position: number): Promise<[durable: number, isOpen: boolean]> {
    const both = [appender.end(), this.#note(id, position)] as const
    // Also when one of them fails: the lock is not released while bytes are still being written.
    await Promise.allSettled(both)
    const [durable, isOpen] = await Promise.all(both)
    return durable === position ? [durable, isOpen] : [durable, await this.#note(id, durable)]
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    stream.resume()
    const { size } = this.#body.upload ?? (await this.#row(id))
    // All bytes are here, or in the storage already: this call only sends the hash, perhaps again after a lost answer.
    if (offset === size) return offset
    const incoming = incomingOf(this.#deps)
    // Created again if its bytes are missing: the acknowledged offset was 0 then.
    if (offset === 0) await incoming.begin(id)
    const hash = await this.#hashes.upTo(id, { offset, size }, incoming)
    try {
      return await this.#receive(id, { offset, size, hash }, incoming)
    } finally {
      this.#hashes.release(id, hash)
    }
  }

  async #receive(id: string, { offset, size, hash }: Received, incoming: IncomingFiles): Promise<number> {
    const appender = await incoming.append(id, { offset, size, hash, ownsChunks: ownsChunks(this.#body) })
    const checks = new Checks(() => this.#checkpoint(id, appender))
    let position = offset
    let checked = offset
    let isOpen = true
    let durable = offset
    try {
      await receive(this.#body, (chunk) => {
        checks.throwIfFailed()
        if (position + chunk.length > size) throw ERRORS.ERR_MAX_SIZE_EXCEEDED
        // Before more bytes, not after the last ones of a request: these are synced and stored by its end.
        if (position - checked >= checkpointBytes) {
          checks.start()
          checked = position
        }
        position += chunk.length
        return appender.write(chunk)
      })
      await appender.flush()
    } finally {
      await checks.settled()
      // Bytes that arrived before the connection broke are kept, and acknowledged only once they are durable.
      ;[durable, isOpen] = await this.#end(id, appender, position)
      if (hash && durable === position) this.#hashes.keep(id, hash, position)
      // The upload has ended and its bytes were removed, perhaps before this call created them again.
      if (!isOpen) await incoming.remove(id)
    }
    if (!isOpen) throw ERRORS.FILE_NO_LONGER_EXISTS
    return durable
  }

  override async remove(id: string): Promise<void> {
    await this.#row(id)
    await this.#deps.db.transaction((tx) => cancelUpload(tx, id, 'failed', 'Cancelled', this.#deps.clock()))
    this.#hashes.forget(id)
    await discardParts(this.#deps, [id])
  }
}
