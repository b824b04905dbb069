import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { object, type Struct } from 'superstruct'
import type { Endpoint } from '../../../contract/core/endpoint'
import { findUnstorable } from '../../../contract/core/rules'
import { checkFields } from '../../../contract/core/field-errors'
import { refuse } from './refuse'
import { parseUntrusted } from './untrusted-json'

/** The schema of endpoints without query or body. */
export const nothing = object({})

export const isEmpty = (value: unknown) => typeof value === 'object' && value !== null && Object.keys(value).length === 0

const characters = (field: string) => ({ field, code: 'characters', message: 'Remove NUL and incomplete characters' })

/** Validates one value by its struct; 422 with the invalid fields (unknown ones included), at most 20 of them. */
export const validate = <T, S>(value: unknown, struct: Struct<T, S>): T => {
  const [details, right] = checkFields(value, struct)
  if (details) return refuse(422, 'invalid', { details })
  const field = findUnstorable(right)
  return field === undefined ? right : refuse(422, 'invalid', { details: [characters(field)] })
}

const bodiless = new Set(['GET', 'HEAD', 'OPTIONS'])

// RFC 9112, 6.3: a request has a body if and only if a header frames one.
const hasBody = ({ method, headers }: FastifyRequest) =>
  !bodiless.has(method) && (headers['transfer-encoding'] !== undefined || !['0', undefined].includes(headers['content-length']))

/** Devices may send gzip; the size limit is on the decoded bytes. */
const gunzip = (payload: Readable): Readable => {
  const decoded = createGunzip()
  // After an early refusal nothing reads the body any more: an `error` without a listener ends the process.
  decoded.on('error', () => {})
  payload.on('error', (error) => decoded.destroy(error))
  return payload.pipe(decoded)
}

/** Bodies arrive as bytes whatever their declared type: the endpoint decides how to parse them (T-30). */
export const registerBodyParsers = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
  app.addContentTypeParser('application/offset+octet-stream', (_request, payload, done) => done(null, payload))
  app.addHook('preParsing', async (request, _reply, payload) => {
    const encoding = request.headers['content-encoding']
    if (encoding === undefined || encoding === 'identity' || !hasBody(request)) return payload
    if (encoding !== 'gzip') return refuse(415, 'unsupported_media_type')
    return Object.assign(gunzip(payload), { receivedEncodedLength: Number(request.headers['content-length'] ?? 0) })
  })
}

const mediaType = (request: FastifyRequest) => (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase()

const utf8 = new TextDecoder('utf-8', { fatal: true })
const text = (bytes: Buffer) => {
  try {
    return utf8.decode(bytes)
  } catch {
    return refuse(400, 'malformed')
  }
}

const parse = (bytes: Buffer): unknown => {
  const value = parseUntrusted(text(bytes))
  return value === undefined ? refuse(400, 'malformed') : value
}

const form = async (request: FastifyRequest, bytes: Buffer, type: string | undefined) => {
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text(bytes)))
  const headers = { 'content-type': request.headers['content-type'] ?? '' }
  const data = await new Response(new Uint8Array(bytes), { headers }).formData().catch(() => refuse(400, 'malformed'))
  return Object.fromEntries(data)
}

const accepted: Record<NonNullable<Endpoint['accepts']>, string[] | undefined> = {
  json: ['application/json'],
  // R15: the specification calls the questionnaire "form-encoded" in one place and "multipart" in another.
  form: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  ndjson: ['application/x-ndjson', 'application/ndjson'],
  rows: ['text/csv', 'application/x-ndjson', 'application/ndjson'],
  bytes: undefined,
  signed: ['application/json'],
  report: ['application/json'],
}

/** Parses JSON that `readBody` has kept as bytes. */
export const readSigned = (bytes: Uint8Array): unknown => parse(Buffer.from(bytes))

/**
 * The parsed body of a request, not validated yet; rows, NDJSON and signed bodies stay bytes. 415 for another type, 400 if it cannot
 * be parsed.
 */
export const readBody = async ({ accepts = 'json' }: Endpoint, request: FastifyRequest): Promise<unknown> => {
  const types = accepted[accepts]
  if (types === undefined) return request.body
  // A streamed body is refused where the endpoint takes JSON.
  if (request.body !== undefined && request.body !== null && !Buffer.isBuffer(request.body))
    return refuse(415, 'unsupported_media_type')
  const bytes = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
  const staysBytes = ['ndjson', 'rows', 'signed', 'report'].includes(accepts)
  if (bytes.length === 0) return staysBytes ? bytes : {}
  const type = mediaType(request)
  if (type === undefined || !types.includes(type)) return refuse(415, 'unsupported_media_type')
  if (staysBytes) return bytes
  const value = accepts === 'form' ? await form(request, bytes, type) : parse(bytes)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : refuse(400, 'malformed')
}
