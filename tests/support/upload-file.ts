import type { Readable } from 'node:stream'
import { expect } from 'vitest'
import { authorization, type TestApi } from './api'
import type { Person } from './people'

const tus = (api: TestApi, as: Person) => ({
  host: new URL(api.config.urls.api).host,
  'tus-resumable': '1.0.0',
  ...authorization(as),
})

const metadata = (values: Record<string, string>) =>
  Object.entries(values)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

type Identity = { sha256?: string; fingerprint?: string }
type Facts = Identity & { size: number; name?: string; purpose?: string }

/** tus without a client library, call by call. */
export const createUpload = (
  api: TestApi,
  as: Person,
  assetId: string,
  { size, name = 'app.bin', purpose, ...identity }: Facts,
) =>
  api.app.inject({
    method: 'POST',
    url: '/uploads',
    headers: {
      ...tus(api, as),
      'upload-length': String(size),
      'upload-metadata': metadata({
        filename: name,
        purpose: purpose ?? 'release_asset',
        target_id: assetId,
        ...identity,
      }),
    },
  })

export const sendBytes = (
  api: TestApi,
  as: Person,
  location: string,
  offset: number,
  bytes: Buffer | Readable,
  identity?: Identity,
) =>
  api.app.inject({
    method: 'PATCH',
    url: location,
    headers: {
      ...tus(api, as),
      'upload-offset': String(offset),
      'content-type': 'application/offset+octet-stream',
      ...(identity && { 'upload-metadata': metadata({ ...identity }) }),
    },
    payload: bytes,
  })

export const offsetOf = (api: TestApi, as: Person, location: string, identity?: Identity) =>
  api.app.inject({
    method: 'HEAD',
    url: location,
    headers: { ...tus(api, as), ...(identity && { 'upload-metadata': metadata({ ...identity }) }) },
  })

export const endUpload = (api: TestApi, as: Person, location: string) =>
  api.app.inject({ method: 'DELETE', url: location, headers: tus(api, as) })

/** Uploads everything in one request. */
export const uploadFile = async (
  api: TestApi,
  as: Person,
  assetId: string,
  bytes: Buffer,
  purpose = 'release_asset',
): Promise<string> => {
  const made = await createUpload(api, as, assetId, { size: bytes.length, purpose })
  expect(made.statusCode, made.payload).toBe(201)
  const location = String(made.headers.location)
  const sent = await sendBytes(api, as, location, 0, bytes)
  expect(sent.statusCode, sent.payload).toBe(204)
  return location
}
