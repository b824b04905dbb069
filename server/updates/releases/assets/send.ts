import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { refuse } from '../../../core/http/refuse'
import { damagedText, type IntegrityDeps, isIntact, rejectDamagedAsset, requireStorage } from './integrity'
import type { AssetRow } from './repository'
import { rangeOf } from '../../../core/http/range'

export type Exchange = { deps: IntegrityDeps; request: FastifyRequest; reply: FastifyReply }

const damaged = () => refuse(410, 'damaged', { message: damagedText })

// RFC 6266: an ASCII name for all clients, the real one for those that support it.
const disposition = (name: string) => {
  const plain = name.replace(/[^\w.+-]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`
}

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

/**
 * The bytes of an asset for `reply.send`, whole or the requested range: with the hash as ETag, as an
 * attachment, and only if they are the uploaded ones (T-16).
 */
export const assetBytes = async ({ deps, request, reply }: Exchange, asset: AssetRow): Promise<Readable> => {
  if (asset.state !== 'ready' || asset.storageKey === null || asset.sha256 === null) return damaged()
  if (!(await isIntact(deps, asset))) {
    await rejectDamagedAsset(deps, asset)
    return damaged()
  }
  const etag = `"sha256-${asset.sha256}"`
  const { range, 'if-range': condition } = request.headers
  // F-10: a range of a different file would be worse than the whole current file.
  const part = condition === undefined || condition === etag ? rangeOf(range, asset.size) : null
  if (part === 'unsatisfiable')
    return refuse(416, 'range', {
      message: 'The range is outside the file',
      headers: { 'Content-Range': `bytes */${asset.size}` },
    })
  const bytes = await requireStorage(deps.storage.read(asset.storageKey, part ?? undefined))
  reply.headers({
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': disposition(asset.name),
    'Repr-Digest': `sha-256=:${Buffer.from(asset.sha256, 'hex').toString('base64')}:`,
    'Content-Length': String(part ? part.end - part.start + 1 : asset.size),
  })
  if (part) reply.code(206).header('Content-Range', `bytes ${part.start}-${part.end}/${asset.size}`)
  const isWhole = part === null || part.end - part.start + 1 === asset.size
  return isWhole ? Readable.from(hashedBytes(deps, asset, bytes), { objectMode: false }) : bytes
}
