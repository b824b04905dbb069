import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import type { onSendAsyncHookHandler } from 'fastify'
import { maxBodyBytes } from '../../../contract/limits'

const timeoutMs = 2000

const hasBody = ({ headers }: IncomingMessage) =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0'

/** Reads what is left of a body and throws it away. False when it is more than the limit or does not come in time. */
const drain = (body: IncomingMessage): Promise<boolean> =>
  new Promise((resolve) => {
    let bytes = 0
    // Whoever was reading has given up: the answer is on its way. Streams with a `readable` listener do not flow.
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
 * An answer that comes before its request has been read leaves the rest of the body on the connection, where the next
 * request would wait behind it. A small rest is read and thrown away; with a large one the connection ends with the answer.
 */
export const settleUnreadBodies: onSendAsyncHookHandler = async ({ raw }, reply) => {
  // A request that is injected has no connection.
  if (!(raw.socket instanceof Socket) || !hasBody(raw) || raw.readableEnded || raw.destroyed) return
  if (!(await drain(raw))) reply.header('Connection', 'close')
}
