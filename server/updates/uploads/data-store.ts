import { DataStore, ERRORS, Upload } from '@tus/server'
import { open } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Deps } from '../../core/deps'
import { beginFile, bytesThere, pathOf, removeFile, settle } from './files'
import type { Hashes } from './hashes'
import { cancelUpload } from './cancel'
import { discardParts } from './ended'
import { findUpload, updateOffsetIfOpen, type UploadRow } from './repository'
import { bytesAboveLimit } from '../../core/storage/free-space'

type Needs = Pick<Deps, 'config' | 'db' | 'clock' | 'diskSpace' | 'storage'>

const noSpace = { status_code: 507, body: '' }

const checkpointBytes = 16 * 1024 * 1024

/**
 * Bytes of uploads as files of the uploads directory: hashed on arrival, synced before their offset is acknowledged, and moved
 * into the storage by a rename. The length of the file is the true offset.
 */
export class UploadStore extends DataStore {
  override extensions = ['creation', 'expiration', 'termination']
  readonly #deps: Needs
  readonly #hashes: Hashes

  constructor(deps: Needs, hashes: Hashes) {
    super()
    this.#deps = deps
    this.#hashes = hashes
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
    await beginFile(this.#deps.config, upload.id)
    return upload
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await this.#row(id)
    const facts = { id, size: row.size, metadata: { filename: row.fileName }, creation_date: row.createdAt.toISOString() }
    if (row.state === 'complete') return new Upload({ ...facts, offset: row.size })
    const path = pathOf(this.#deps.config, id)
    // Bytes written by a killed process count once they are synced (F-11).
    await settle(path)
    const there = await bytesThere(path)
    // All bytes may be in the storage already: the process that moved them died before it stored the result.
    const isStored = there === 0 && (await this.#deps.storage.size(id).catch(() => undefined)) === row.size
    return new Upload({ ...facts, offset: isStored ? row.size : Math.min(row.size, there) })
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    // All bytes are here, or in the storage already: this call only sends the hash, perhaps again after a lost answer.
    if (offset === (await this.#row(id)).size) return offset
    const path = pathOf(this.#deps.config, id)
    const hash = await this.#hashes.upTo(id, path, offset)
    // Created again if its bytes are missing: the acknowledged offset was 0 then.
    if (offset === 0) await beginFile(this.#deps.config, id)
    const file = await open(path, 'r+')
    let position = offset
    let synced = offset
    let isOpen = true
    const checkpoint = async () => {
      await file.datasync()
      synced = position
      if (!(await this.#note(id, position))) throw ERRORS.FILE_NO_LONGER_EXISTS
    }
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        for (let done = 0; done < chunk.length;)
          done += (await file.write(chunk, done, chunk.length - done, position + done)).bytesWritten
        hash.update(chunk)
        position += chunk.length
        if (position - synced < checkpointBytes) continue
        await checkpoint()
        // The route has checked before the first byte; the disk may fill during a long upload (F-19).
        if ((await bytesAboveLimit(this.#deps, this.#deps.config.uploadsDirectory)) < 0) throw noSpace
      }
    } finally {
      // Bytes that arrived before the connection broke are kept, and acknowledged only after the sync.
      try {
        await file.sync()
        isOpen = await this.#note(id, position)
        this.#hashes.keep(id, hash, position)
        // The upload has ended and its file was removed, perhaps before this call created it again.
        if (!isOpen) await removeFile(this.#deps.config, id)
      } finally {
        await file.close()
      }
    }
    if (!isOpen) throw ERRORS.FILE_NO_LONGER_EXISTS
    return position
  }

  override async remove(id: string): Promise<void> {
    await this.#row(id)
    await this.#deps.db.transaction((tx) => cancelUpload(tx, id, 'failed', 'Cancelled', this.#deps.clock()))
    this.#hashes.forget(id)
    await discardParts(this.#deps, [id])
  }
}
