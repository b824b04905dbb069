import { createHash } from 'node:crypto'
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { S3Config } from '../config'
import type { ArtifactStorage } from '../deps'
import { type Bucket, openBucket, unlessMissing } from './s3-client'
import { listObjects, s3Incoming } from './s3-incoming'
import { abortParts, completeParts, createParts, type Part, partBytes, sendPart } from './s3-parts'
import { StorageError } from './storage-error'

/** Cuts a stream into parts of one size; the last one is shorter. */
async function* partsOf(bytes: Readable): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let length = 0
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    waiting.push(chunk)
    length += chunk.length
    if (length <= partBytes) continue
    let all = Buffer.concat(waiting)
    for (; all.length > partBytes; all = all.subarray(partBytes)) yield all.subarray(0, partBytes)
    waiting = [all]
    length = all.length
  }
  yield Buffer.concat(waiting)
}

/** A part fills the memory at a time. The object appears complete or not at all. */
const write = async (bucket: Bucket, object: string, bytes: Readable) => {
  const hash = createHash('sha256')
  let uploadId: string | undefined
  const parts: Part[] = []
  let size = 0
  try {
    for await (const part of partsOf(bytes)) {
      hash.update(part)
      size += part.length
      if (uploadId === undefined && part.length < partBytes)
        await bucket.send(new PutObjectCommand({ Bucket: bucket.name, Key: object, Body: part, ContentLength: part.length }))
      else {
        uploadId ??= await createParts(bucket, object)
        parts.push(await sendPart(bucket, { object, uploadId }, parts.length + 1, part))
      }
    }
    if (uploadId !== undefined) await completeParts(bucket, { object, uploadId }, parts)
  } catch (error) {
    if (uploadId !== undefined) await abortParts(bucket, { object, uploadId })
    throw error
  }
  return { size, sha256: hash.digest('hex') }
}

/** Artifact bytes as objects of a bucket. */
export const s3Storage = (config: S3Config): ArtifactStorage => {
  const bucket = openBucket(config)
  const { name, objectOf, head, send, prefix } = bucket
  return {
    write: async (key, bytes) => write(bucket, objectOf(key), bytes),
    read: async (key, range) => {
      const part = range && { Range: `bytes=${range.start}-${range.end}` }
      const { Body } = await send(new GetObjectCommand({ Bucket: name, Key: objectOf(key), ...part }))
      if (!(Body instanceof Readable)) throw new StorageError('the object store has answered without bytes')
      return Body
    },
    size: async (key) => (await head(objectOf(key)))?.ContentLength,
    remove: async (key) => {
      await send(new DeleteObjectCommand({ Bucket: name, Key: objectOf(key) })).catch(unlessMissing)
    },
    stamp: async (key) => {
      const found = await head(objectOf(key))
      return found && `${found.ETag} ${found.ContentLength} ${found.LastModified?.getTime()}`
    },
    async *list() {
      for await (const { object, writtenAt } of listObjects(bucket, prefix)) yield { key: object.slice(prefix.length), writtenAt }
    },
    incoming: s3Incoming(bucket),
  }
}
