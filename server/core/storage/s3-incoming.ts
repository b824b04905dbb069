import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { DeleteObjectCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { Readable } from 'node:stream'
import type { Append, Appender, IncomingFiles } from '../deps'
import type { Bucket } from './s3-client'
import {
  abortParts,
  bytesIn,
  completeParts,
  createParts,
  findUnfinished,
  listParts,
  listUnfinished,
  partBytes,
  sendPart,
} from './s3-parts'

/** The objects of a prefix, without those in deeper folders. */
export async function* listObjects({ name, send }: Bucket, prefix: string): AsyncGenerator<{ object: string; writtenAt: Date }> {
  let token: string | undefined
  do {
    const at = { Bucket: name, Prefix: prefix, Delimiter: '/', ...(token !== undefined && { ContinuationToken: token }) }
    const found: Awaited<ReturnType<typeof page>> = await page(send, at)
    for (const { Key = '', LastModified = new Date() } of found.Contents ?? []) yield { object: Key, writtenAt: LastModified }
    token = found.IsTruncated ? found.NextContinuationToken : undefined
  } while (token !== undefined)
}
const page = (send: Bucket['send'], input: ConstructorParameters<typeof ListObjectsV2Command>[0]) =>
  send(new ListObjectsV2Command(input))

const removeObject = async ({ name, send }: Bucket, object: string) => {
  await send(new DeleteObjectCommand({ Bucket: name, Key: object }))
}

/**
 * A part has at least 5 MiB, but an acknowledged byte must survive: what does not fill a part is an object of its own, named by
 * the upload and by the position where it begins. One of an earlier upload or position is never taken for the current one.
 */
const tailOf = ({ prefix }: Bucket, key: string, uploadId: string, start: number) =>
  `${prefix}uploads/${key}.${createHash('sha256').update(uploadId).digest('hex').slice(0, 16)}.${start}`

type Begun = { bucket: Bucket; key: string; uploadId: string }

const append = async ({ bucket, key, uploadId }: Begun, { offset, size, hash }: Append): Promise<Appender> => {
  const object = bucket.objectOf(key)
  const parts = await listParts(bucket, object, uploadId)
  let start = bytesIn(parts)
  let number = parts.length + 1
  let tail: string | undefined
  let waiting: Buffer[] = []
  if (offset > start) {
    tail = tailOf(bucket, key, uploadId, start)
    const { Body } = await bucket.send(new GetObjectCommand({ Bucket: bucket.name, Key: tail }))
    if (Body instanceof Readable) waiting = [await buffer(Body)]
  }
  const bytes = () => waiting.reduce((sum, { length }) => sum + length, 0)
  if (start + bytes() !== offset) throw new Error(`${key} has ${start + bytes()} bytes, not ${offset}`)
  let queued = bytes()
  let durable = offset
  let sending: Promise<void> | undefined
  let failure: { error: unknown } | undefined

  const sendNext = async (part: Buffer) => {
    await sendPart(bucket, { object, uploadId }, number, part)
    number += 1
    start += part.length
    durable = Math.max(durable, start)
    if (tail !== undefined) await removeObject(bucket, tail)
    tail = undefined
  }
  const settled = async () => {
    await sending
    if (failure) throw failure.error
  }
  const cut = () => {
    if (queued < partBytes) return undefined
    const all = Buffer.concat(waiting)
    waiting = [all.subarray(partBytes)]
    queued -= partBytes
    return all.subarray(0, partBytes)
  }
  // One part is sent while the next one is received.
  const sendFull = async () => {
    await settled()
    for (let part = cut(); part; part = cut()) {
      await settled()
      sending = sendNext(part).catch((error: unknown) => void (failure = { error }))
    }
  }
  const flush = async () => {
    await sendFull()
    await settled()
    if (queued === 0 || start + queued === durable) return
    const total = start + queued
    const rest = Buffer.concat(waiting)
    if (total === size) {
      await sendNext(rest)
      queued = 0
      waiting = []
      return
    }
    tail = tailOf(bucket, key, uploadId, start)
    await bucket.send(new PutObjectCommand({ Bucket: bucket.name, Key: tail, Body: rest, ContentLength: rest.length }))
    durable = total
  }
  return {
    write: (chunk) => {
      const hashed = hash?.update(chunk)
      waiting.push(chunk)
      queued += chunk.length
      return queued >= partBytes ? sendFull() : hashed
    },
    checkpoint: async () => durable,
    flush,
    end: async () => {
      await sending
      return durable
    },
  }
}

/** Unfinished files of a bucket, as multipart uploads of their objects: any process can continue them. */
export const s3Incoming = (bucket: Bucket): IncomingFiles => {
  const { prefix, objectOf } = bucket
  const tails = async function* (key: string) {
    yield* listObjects(bucket, `${prefix}uploads/${key}`)
  }
  const removeTails = async (key: string) => {
    for await (const { object } of tails(`${key}.`)) await removeObject(bucket, object)
  }
  const beginAt = async (key: string) =>
    (await findUnfinished(bucket, objectOf(key))) ?? (await createParts(bucket, objectOf(key)))
  return {
    begin: async (key) => void (await beginAt(key)),
    size: async (key) => {
      const uploadId = await findUnfinished(bucket, objectOf(key))
      if (uploadId === undefined) return 0
      const start = bytesIn(await listParts(bucket, objectOf(key), uploadId))
      return start + ((await bucket.head(tailOf(bucket, key, uploadId, start)))?.ContentLength ?? 0)
    },
    append: async (key, how) => append({ bucket, key, uploadId: await beginAt(key) }, how),
    finish: async (key) => {
      const object = objectOf(key)
      const uploadId = await findUnfinished(bucket, object)
      // Without an upload, a process that died meanwhile has finished it.
      if (uploadId !== undefined)
        await completeParts(bucket, { object, uploadId }, await listParts(bucket, object, uploadId)).catch(
          async (error: unknown) => {
            if (!(await bucket.head(object))) throw error
          },
        )
      await removeTails(key)
    },
    remove: async (key) => {
      const object = objectOf(key)
      for await (const { Key, UploadId = '' } of listUnfinished(bucket, object))
        if (Key === object) await abortParts(bucket, { object, uploadId: UploadId })
      await removeTails(key)
    },
    async *list() {
      const newest = new Map<string, Date>()
      const note = (key: string, at: Date) => {
        if (at > (newest.get(key) ?? new Date(0))) newest.set(key, at)
      }
      for await (const { Key = '', Initiated } of listUnfinished(bucket, prefix)) {
        const key = Key.slice(prefix.length)
        if (!key.includes('/')) note(key, Initiated ?? new Date())
      }
      for await (const { object, writtenAt } of tails(''))
        note(object.slice(`${prefix}uploads/`.length).split('.', 1)[0] ?? '', writtenAt)
      for (const [key, writtenAt] of newest) yield { key, writtenAt }
    },
  }
}
