import type { onSendAsyncHookHandler } from 'fastify'

/** In this order, after the length. `Date` and `Connection` follow. */
const kept = [
  'content-type',
  'content-range',
  'etag',
  'accept-ranges',
  'retry-after',
  'location',
  'cache-control',
  'x-content-type-options',
  'connection',
] as const

/**
 * Small DDI clients read the headers of an answer into a buffer of a few hundred bytes and need its length in the first part: the
 * length comes first, and headers for browsers are left out.
 */
export const sendCompactHead: onSendAsyncHookHandler = async (_request, reply, payload) => {
  const before = reply.getHeaders()
  const length =
    before['content-length'] ??
    (typeof payload === 'string' || Buffer.isBuffer(payload) ? Buffer.byteLength(payload) : payload == null ? 0 : undefined)
  for (const name of Object.keys(before)) reply.removeHeader(name)
  if (length !== undefined) reply.header('content-length', String(length))
  for (const name of kept) if (before[name] !== undefined) reply.header(name, before[name])
}
