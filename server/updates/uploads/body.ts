import { on } from 'node:events'
import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** The body of a request, and when to stop reading it for another request that continues the upload. */
export type Body = { stream: unknown; signal?: AbortSignal }

/** Whether each chunk is a buffer of its own, made by the HTTP parser. */
export const ownsChunks = ({ stream }: Body): boolean => stream instanceof IncomingMessage

/** So many chunks of the socket may wait before it is paused. */
const mostWaiting = 16

/**
 * The chunks of a body until it ends, breaks or has to stop: received bytes are kept and reported to the next request. Not by
 * the iterator of the stream, which would destroy it, and with it the connection that the answer needs.
 */
export async function* chunksOf({ stream, signal }: Body): AsyncGenerator<Buffer> {
  if (!(stream instanceof Readable) || stream.readableEnded || stream.destroyed) return
  const options = { close: ['end', 'close'], highWaterMark: mostWaiting, lowWaterMark: 1, ...(signal && { signal }) }
  try {
    for await (const [chunk] of on(stream, 'data', options) as AsyncIterable<[Buffer]>) yield chunk
  } catch {
    // The client has disconnected, or another request waits: there is nobody to report the failure to.
  }
}
