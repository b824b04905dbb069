import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { onSendAsyncHookHandler } from 'fastify'
import { maxBodyBytes } from '../../../contract/core/limits'

const timeoutMs = 2000

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Reads and discards the rest of a body. False if it exceeds the limit or does not arrive in time. */
const drain = (body: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    let bytes = 0
    // The reader has given up: the answer is being sent. Streams with a `readable` listener do not flow.
    body.removeAllListeners('readable').removeAllListeners('data')
    const end = (isWhole: boolean) => {
      clearTimeout(timer)
      body.off('data', count).off('end', finish).off('close', stop)
      resolve(isWhole)
    }
    const stop = () => end(false)
    const finish = () => end(true)
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBodyBytes) stop()
    }
    const timer = setTimeout(stop, timeoutMs)
    body.on('data', count).once('end', finish).once('close', stop)
    body.resume()
  })

/**
 * An answer sent before its request has been read leaves the rest of the body on the connection, where the next request would
 * wait behind it. A small rest is read and discarded; with a large one the connection ends with the answer.
 */
export const settleUnreadBodies: onSendAsyncHookHandler = async ({ raw }, reply) => {
  // An injected request has no connection.
  if (!(raw.socket instanceof Socket) || !hasBody(raw) || raw.readableEnded || raw.destroyed) return
  if (!(await drain(raw))) reply.header('Connection', 'close')
}
