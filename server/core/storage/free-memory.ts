import { MessageChannel } from 'node:worker_threads'

const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

const isOwn = (buffer: ArrayBufferLike, bytes: number): buffer is ArrayBuffer =>
  buffer instanceof ArrayBuffer && bytes === buffer.byteLength

/**
 * Frees the memory of buffers that nobody else uses: they have no bytes afterwards. Otherwise V8 marks its whole heap again after each
 * 64 MiB that were received, which takes more processor time than hashing them. Leaves memory that is shared.
 */
export const freeMemory = (buffers: readonly Buffer[]): void => {
  const own = buffers.flatMap(({ buffer, byteLength }) => (isOwn(buffer, byteLength) ? [buffer] : []))
  if (own.length > 0) nowhere.postMessage(undefined, own)
}
