import { MessageChannel } from 'node:worker_threads'

const { port1: nowhere, port2 } = new MessageChannel()
port2.close()

/**
 * Frees the memory of a buffer that nobody else uses: it has no bytes afterwards. Otherwise V8 marks its whole heap again after each
 * 64 MiB that were received, which takes more processor time than hashing them. Does nothing if the memory is shared.
 */
export const freeMemory = ({ buffer, byteLength }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && byteLength === buffer.byteLength) nowhere.postMessage(undefined, [buffer])
}
