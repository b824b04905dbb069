import { createHash, randomInt } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { finished, Readable } from 'node:stream'
import { attachment } from '../../../core/http/attachment'
import { refuse } from '../../../core/http/refuse'
import { damagedText, type IntegrityDeps, isIntact, rejectDamagedAsset, requireStorage } from './integrity'
import type { AssetRow } from './repository'
import { type Part, rangesOf } from '../../../core/http/range'

export type Exchange = { deps: IntegrityDeps; request: FastifyRequest; reply: FastifyReply }

const damaged = () => refuse(410, 'damaged', { message: damagedText })

/**
 * The whole file, hashed while it is sent. The end is held back until the hash is verified, so that a client never completes
 * wrong bytes.
 */
async function* hashedBytes(deps: IntegrityDeps, asset: AssetRow, bytes: Readable): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let last: Buffer | undefined
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    hash.update(chunk)
    if (last) yield last
    last = chunk
  }
  if (hash.digest('hex') !== asset.sha256) {
    await rejectDamagedAsset(deps, asset)
    damaged()
  }
  if (last) yield last
}

const letters = 'abcdefghijklmnopqrstuvwxyz'
const newline = '\r\n'

/** Several ranges as `multipart/byteranges` (RFC 9110, 14.6). Its length is known before it is sent. */
const multipart = (deps: IntegrityDeps, { size, storageKey }: AssetRow, parts: readonly Part[]) => {
  const boundary = Array.from({ length: 24 }, () => letters.charAt(randomInt(letters.length))).join('')
  const headOf = ({ start, end }: Part) =>
    [`--${boundary}`, 'Content-Type: application/octet-stream', `Content-Range: bytes ${start}-${end}/${size}`, '', ''].join(
      newline,
    )
  const last = `--${boundary}--${newline}`
  const length = parts.reduce((sum, part) => sum + headOf(part).length + part.end - part.start + 1 + newline.length, last.length)
  const bytes = async function* () {
    for (const part of parts) {
      yield Buffer.from(headOf(part))
      yield* (await requireStorage(deps.storage.read(storageKey ?? '', part))) as AsyncIterable<Buffer>
      yield Buffer.from(newline)
    }
    yield Buffer.from(last)
  }
  return { boundary, length, bytes: Readable.from(bytes(), { objectMode: false }) }
}

/** The ranges that a request asks for of this asset; null for the whole. */
export const partsFor = ({ method, headers }: FastifyRequest, asset: AssetRow): ReturnType<typeof rangesOf> => {
  // Only GET has ranges (RFC 9110, 14.2).
  if (method !== 'GET') return null
  const { range, 'if-range': condition } = headers
  // F-10: a range of a different file would be worse than the whole current file.
  return condition === undefined || condition === etagOf(asset) ? rangesOf(range, asset.size) : null
}

/** A resumed download is the same download. */
export const beginsDownload = (request: FastifyRequest, asset: AssetRow): boolean => {
  const parts = partsFor(request, asset)
  return parts === null || (parts !== 'unsatisfiable' && parts[0].start === 0)
}

const etagOf = ({ sha256 }: AssetRow) => `"sha256-${sha256}"`

/** Whether the client has this version already: the answer is 304 (RFC 9110, 13.1.2). */
const isUnchanged = ({ headers }: FastifyRequest, asset: AssetRow): boolean =>
  (headers['if-none-match'] ?? '')
    .split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''))
    .some((tag) => tag === '*' || tag === etagOf(asset))

/**
 * The bytes of an asset for `reply.send`, whole or the requested ranges: with the hash as ETag, as an
 * attachment, and only if they are the uploaded ones (T-16).
 */
export const assetBytes = async ({ deps, request, reply }: Exchange, asset: AssetRow): Promise<Readable> => {
  if (asset.state !== 'ready' || asset.storageKey === null || asset.sha256 === null) return damaged()
  if (!(await isIntact(deps, asset))) {
    await rejectDamagedAsset(deps, asset)
    return damaged()
  }
  if (isUnchanged(request, asset)) {
    reply.code(304).headers({ ETag: etagOf(asset), 'Accept-Ranges': 'bytes' })
    return Readable.from([])
  }
  const parts = partsFor(request, asset)
  if (parts === 'unsatisfiable')
    return refuse(416, 'range', {
      message: 'The range is outside the file',
      headers: { 'Content-Range': `bytes */${asset.size}` },
    })
  reply.headers({
    ETag: etagOf(asset),
    'Accept-Ranges': 'bytes',
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': attachment(asset.name),
    'Repr-Digest': `sha-256=:${Buffer.from(asset.sha256, 'hex').toString('base64')}:`,
  })
  if (parts && parts.length > 1) {
    const { boundary, length, bytes } = multipart(deps, asset, parts)
    reply.code(206).headers({ 'Content-Type': `multipart/byteranges; boundary=${boundary}`, 'Content-Length': String(length) })
    return bytes
  }
  const [part] = parts ?? [null]
  const bytes = await requireStorage(deps.storage.read(asset.storageKey, part ?? undefined))
  // A client may leave before the answer begins: then no generator around the bytes ever starts, and so none closes them.
  finished(reply.raw, () => bytes.destroy())
  reply.header('Content-Length', String(part ? part.end - part.start + 1 : asset.size))
  if (part) reply.code(206).header('Content-Range', `bytes ${part.start}-${part.end}/${asset.size}`)
  const isWhole = part === null || part.end - part.start + 1 === asset.size
  return isWhole ? Readable.from(hashedBytes(deps, asset, bytes), { objectMode: false }) : bytes
}
