import { HeadBucketCommand, HeadObjectCommand, type HeadObjectCommandOutput, S3Client } from '@aws-sdk/client-s3'
import type { S3Config } from '../config'
import { StorageError } from './storage-error'

/** Slow readers hold their connections: the default of 50 would let some devices keep others waiting. */
const maxSockets = 1000

export type Bucket = {
  client: S3Client
  name: string
  /** The name of the object of a key; throws for what is no key (T-15). */
  objectOf: (key: string) => string
  prefix: string
  /** Finds the object; undefined only if the bucket itself answers. */
  head: (object: string) => Promise<HeadObjectCommandOutput | undefined>
  send: S3Client['send']
}

const statusOf = (error: unknown) => {
  const { $metadata } = Object(error) as { $metadata?: { httpStatusCode?: number } }
  return $metadata?.httpStatusCode
}

/** Undefined for an object or upload that does not exist. */
export const unlessMissing = (error: unknown): undefined => {
  if (error instanceof StorageError && statusOf(error.cause) === 404) return undefined
  throw error
}

export const openBucket = ({ bucket, prefix, endpoint, region, pathStyle, credentials }: S3Config): Bucket => {
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    ...(endpoint !== undefined && { endpoint }),
    ...(credentials && { credentials }),
    // The bytes are signed, and hashed by this server; other stores than Amazon's do not know the checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: 5000, requestTimeout: 60_000, httpAgent: { maxSockets }, httpsAgent: { maxSockets } },
  })
  const send = ((command: HeadObjectCommand) =>
    client.send(command).catch((cause: unknown) => {
      const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause)
      throw new StorageError(`${command.constructor.name} failed: ${reason}`, { cause })
    })) as S3Client['send']
  return {
    client,
    name: bucket,
    prefix,
    objectOf: (key) => {
      if (!/^[0-9A-Za-z][0-9A-Za-z_-]{0,127}$/.test(key)) throw new Error('a storage key is letters, digits, _ and -')
      return `${prefix}${key}`
    },
    head: async (object) => {
      const found = await send(new HeadObjectCommand({ Bucket: bucket, Key: object })).catch(unlessMissing)
      // The answer for a missing object is that for a missing bucket.
      if (!found) await send(new HeadBucketCommand({ Bucket: bucket }))
      return found
    },
    send,
  }
}
