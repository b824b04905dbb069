import { createHash } from 'node:crypto'
import type { ArtifactStorage } from '../../core/deps'
import type { Part } from '../../core/http/range'
import type { ArtifactRow } from './artifacts.repository'
import type { BundleRow } from './repository'

const block = 512

const octal = (value: number, length: number) => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A header of POSIX ustar (IEEE 1003.1, pax). */
const header = (name: string, size: number, type: '0' | 'x', mtimeS: number): Buffer => {
  const bytes = Buffer.alloc(block)
  bytes.write(name, 0, 100, 'utf8')
  bytes.write(octal(0o644, 8), 100)
  bytes.write(octal(0, 8), 108)
  bytes.write(octal(0, 8), 116)
  bytes.write(octal(size, 12), 124)
  bytes.write(octal(mtimeS, 12), 136)
  bytes.write(' '.repeat(8), 148)
  bytes.write(type, 156)
  bytes.write('ustar\x0000', 257, 'latin1')
  const sum = bytes.reduce((total, byte) => total + byte, 0)
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}

const paddingOf = (size: number) => Buffer.alloc((block - (size % block)) % block)

/** A pax record counts its own length in bytes. */
const paxRecord = (text: string): string => {
  const length = Buffer.byteLength(text) + 2
  const digits = String(length + String(length).length).length
  return `${length + digits} ${text}\n`
}

/** The headers of a file; names that ustar cannot hold get a pax header. */
const headers = (name: string, size: number, mtimeS: number): Buffer => {
  // oxlint-disable-next-line no-control-regex -- ASCII is the rule itself
  if (Buffer.byteLength(name) <= 100 && /^[\x00-\x7f]*$/.test(name)) return header(name, size, '0', mtimeS)
  const record = Buffer.from(paxRecord(`path=${name}`))
  return Buffer.concat([
    header('PaxHeader', record.length, 'x', mtimeS),
    record,
    paddingOf(record.length),
    header('long-name', size, '0', mtimeS),
  ])
}

type Piece = { length: number; bytes: Buffer } | { length: number; file: ArtifactRow }
export type BundleTar = { size: number; etag: string; pieces: readonly Piece[] }

const manifestOf = (bundle: BundleRow, files: readonly ArtifactRow[]) => ({
  schema: 1,
  id: bundle.id,
  name: bundle.name,
  version: bundle.version,
  revision: bundle.revision,
  state: bundle.state,
  platform: bundle.platform,
  hardware_models: bundle.hardwareModels,
  rollback_version: bundle.rollbackVersion,
  key_hash: bundle.keyHash,
  keys: bundle.keys,
  fuse_config: bundle.fuseConfig,
  files: files.map(({ fileName, role, size, sha256, loadAddress }) => ({
    path: `files/${fileName}`,
    role,
    size,
    sha256,
    load_address: loadAddress,
  })),
})

/** The tar file of a bundle: the same bytes for the same bundle, of a length that is known before anything is read. */
export const layOutTar = (bundle: BundleRow, files: readonly ArtifactRow[]): BundleTar => {
  const mtimeS = Math.floor(bundle.updatedAt.getTime() / 1000)
  const manifest = Buffer.from(`${JSON.stringify(manifestOf(bundle, files), null, 2)}\n`)
  const buffer = (bytes: Buffer): Piece => ({ length: bytes.length, bytes })
  const pieces: Piece[] = [
    buffer(Buffer.concat([header('manifest.json', manifest.length, '0', mtimeS), manifest, paddingOf(manifest.length)])),
    ...files.flatMap((file): Piece[] => [
      buffer(headers(`files/${file.fileName}`, file.size, mtimeS)),
      { length: file.size, file },
      buffer(paddingOf(file.size)),
    ]),
    // Two empty blocks end an archive.
    buffer(Buffer.alloc(2 * block)),
  ]
  return {
    size: pieces.reduce((sum, { length }) => sum + length, 0),
    etag: `"sha256-${createHash('sha256').update(manifest).digest('hex')}"`,
    pieces,
  }
}

/**
 * The bytes of a part of the file. A stored file that is sent whole is hashed meanwhile and its end held back, so that a client
 * never completes wrong bytes.
 */
export async function* tarBytes(storage: ArtifactStorage, { pieces }: BundleTar, { start, end }: Part): AsyncGenerator<Buffer> {
  let at = 0
  for (const piece of pieces) {
    const from = Math.max(start - at, 0)
    const to = Math.min(end - at, piece.length - 1)
    at += piece.length
    if (from > to) continue
    if ('bytes' in piece) yield piece.bytes.subarray(from, to + 1)
    else yield* fileBytes(storage, piece.file, { start: from, end: to })
  }
}

async function* fileBytes(storage: ArtifactStorage, file: ArtifactRow, part: Part): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let last: Buffer | undefined
  for await (const chunk of (await storage.read(file.storageKey ?? '', part)) as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (last) yield last
    last = chunk
  }
  const isWhole = part.start === 0 && part.end === file.size - 1
  if (isWhole && hash.digest('hex') !== file.sha256) throw new Error(`The stored bytes of the artifact ${file.id} have changed`)
  if (last) yield last
}
