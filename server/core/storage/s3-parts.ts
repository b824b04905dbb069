import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type MultipartUpload,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { type Bucket, unlessMissing } from './s3-client'

/**
 * Every part but the last has this size, as some stores require. Amazon takes 10,000 parts of at least 5 MiB, Swift by default
 * 1,000 (7.8 GiB).
 */
export const partBytes = 8 * 1024 * 1024

export type Part = { PartNumber: number; ETag: string; Size: number }

export const createParts = async ({ name, send }: Bucket, object: string): Promise<string> => {
  const { UploadId } = await send(new CreateMultipartUploadCommand({ Bucket: name, Key: object }))
  if (UploadId === undefined) throw new Error('the object store has named no upload')
  return UploadId
}

/** The unfinished uploads of objects whose names begin so. */
export async function* listUnfinished({ name, send }: Bucket, prefix: string): AsyncGenerator<MultipartUpload> {
  let at: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (at) {
    const found: Awaited<ReturnType<typeof list>> = await list(send, { Bucket: name, Prefix: prefix, ...at })
    yield* found.Uploads ?? []
    at = found.IsTruncated ? { KeyMarker: found.NextKeyMarker ?? '', UploadIdMarker: found.NextUploadIdMarker ?? '' } : undefined
  }
}
const list = (send: Bucket['send'], input: ConstructorParameters<typeof ListMultipartUploadsCommand>[0]) =>
  send(new ListMultipartUploadsCommand(input))

/** The upload of an object that was begun first: two processes may both have begun one. */
export const findUnfinished = async (bucket: Bucket, object: string): Promise<string | undefined> => {
  const found: MultipartUpload[] = []
  for await (const one of listUnfinished(bucket, object)) if (one.Key === object) found.push(one)
  const order = ({ Initiated, UploadId }: MultipartUpload) => `${Initiated?.toISOString() ?? ''} ${UploadId ?? ''}`
  return found.toSorted((a, b) => (order(a) < order(b) ? -1 : 1))[0]?.UploadId
}

/** The stored parts without a gap, in their order. */
export const listParts = async ({ name, send }: Bucket, object: string, uploadId: string): Promise<Part[]> => {
  const parts: Part[] = []
  let marker: string | undefined
  do {
    const at = { Bucket: name, Key: object, UploadId: uploadId, ...(marker !== undefined && { PartNumberMarker: marker }) }
    const found: ListPartsCommandOutput | undefined = await send(new ListPartsCommand(at)).catch(unlessMissing)
    for (const { PartNumber = 0, ETag = '', Size = 0 } of found?.Parts ?? []) parts.push({ PartNumber, ETag, Size })
    marker = found?.IsTruncated ? found.NextPartNumberMarker : undefined
  } while (marker !== undefined)
  const gap = parts.findIndex(({ PartNumber }, n) => PartNumber !== n + 1)
  return gap < 0 ? parts : parts.slice(0, gap)
}

export const bytesIn = (parts: readonly Part[]): number => parts.reduce((sum, { Size }) => sum + Size, 0)

type Upload = { object: string; uploadId: string }

export const sendPart = async (
  { name, send }: Bucket,
  { object, uploadId }: Upload,
  number: number,
  bytes: Buffer,
): Promise<Part> => {
  const at = { Bucket: name, Key: object, UploadId: uploadId, PartNumber: number }
  const { ETag = '' } = await send(new UploadPartCommand({ ...at, Body: bytes, ContentLength: bytes.length }))
  return { PartNumber: number, ETag, Size: bytes.length }
}

export const completeParts = async (
  { name, send }: Bucket,
  { object, uploadId }: Upload,
  parts: readonly Part[],
): Promise<void> => {
  const Parts = parts.map(({ PartNumber, ETag }) => ({ PartNumber, ETag }))
  await send(new CompleteMultipartUploadCommand({ Bucket: name, Key: object, UploadId: uploadId, MultipartUpload: { Parts } }))
}

export const abortParts = async ({ name, send }: Bucket, { object, uploadId }: Upload): Promise<void> => {
  await send(new AbortMultipartUploadCommand({ Bucket: name, Key: object, UploadId: uploadId })).catch(unlessMissing)
}
