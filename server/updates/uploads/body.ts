import { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { UploadRow } from './repository'

/** The body of a request, when to stop reading it for another request that continues the upload, and that upload once it is locked. */
export type Body = { stream: unknown; signal?: AbortSignal; upload?: UploadRow }

/** Whether each chunk is a buffer of its own, made by the HTTP parser. */
export const ownsChunks = ({ stream }: Body): boolean => stream instanceof IncomingMessage

/**
 * Passes the chunks of a body on until it ends, breaks or has to stop: received bytes are kept and reported to the next request. The
 * body waits while `take` has returned a promise. Rejects with what `take` throws. A stream's own iterator would destroy it, and with it
 * the connection that the answer needs.
 */
export const receive = ({ stream, signal }: Body, take: (chunk: Buffer) => Promise<void> | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    if (!(stream instanceof Readable) || stream.readableEnded || stream.destroyed || signal?.aborted === true) return resolve()
    const stop = () => {
      stream.off('data', onData).off('end', end).off('close', end).off('error', end).pause()
      signal?.removeEventListener('abort', end)
    }
    // Of a client that has disconnected, or for another request that waits: there is nobody to report a failure to.
    const end = () => {
      stop()
      resolve()
    }
    const fail = (error: unknown) => {
      stop()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      try {
        const room = take(chunk)
        if (!room) return
        stream.pause()
        room.then(() => stream.listeners('data').includes(onData) && stream.resume(), fail)
      } catch (error) {
        fail(error)
      }
    }
    stream.on('data', onData).once('end', end).once('close', end).once('error', end)
    signal?.addEventListener('abort', end)
  })
