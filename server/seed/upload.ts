import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { sessionHeader } from '../../contract/accounts/sessions'

const encoded = (metadata: Record<string, string>) =>
  Object.entries(metadata)
    .map(([name, value]) => `${name} ${Buffer.from(value).toString('base64')}`)
    .join(',')

export const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

type File = { name: string; bytes: Buffer; assetId: string }

/** Sends one file by tus, as the console's upload panel does. */
export const upload = async (app: FastifyInstance, host: string, as: string, { name, bytes, assetId }: File): Promise<void> => {
  const headers = { host, [sessionHeader]: as, 'tus-resumable': '1.0.0' }
  const metadata = { filename: name, purpose: 'release_asset', target_id: assetId, sha256: sha256(bytes) }
  const made = await app.inject({
    method: 'POST',
    url: '/uploads',
    headers: { ...headers, 'upload-length': String(bytes.length), 'upload-metadata': encoded(metadata) },
  })
  const location = made.headers.location?.toString()
  if (made.statusCode !== 201 || location === undefined) throw new Error(`upload of ${name}: ${made.statusCode} ${made.payload}`)
  const sent = await app.inject({
    method: 'PATCH',
    url: new URL(location, `http://${host}`).pathname,
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    payload: bytes,
  })
  if (sent.statusCode !== 204) throw new Error(`upload of ${name}: ${sent.statusCode} ${sent.payload}`)
}

/** Sample bytes of firmware: the same name gives the same file. */
export const firmware = (name: string, size: number): Buffer => {
  const block = (n: number) => createHash('sha512').update(`${name} ${n}`).digest()
  return Buffer.concat(Array.from({ length: Math.ceil(size / 64) }, (_, n) => block(n))).subarray(0, size)
}
