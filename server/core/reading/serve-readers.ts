import { parentPort } from 'node:worker_threads'
import type { FromThread, Reader, ReadingContext, ToThread } from './protocol'

type AnyReader = Reader<never, unknown, unknown>
type Resolve = (message: ToThread) => void

/** What a thread does: one task at a time, each message of which is answered. */
export const serveReaders = (readers: Readonly<Record<string, AnyReader>>): void => {
  const port = parentPort
  if (!port) throw new Error('This program is started as a thread.')
  const send = (message: FromThread) => port.postMessage(message)
  const waiting = new Map<string, Resolve>()
  const ask = (key: string, message: FromThread) =>
    new Promise<ToThread>((resolve) => {
      waiting.set(key, resolve)
      send(message)
    })
  let nextId = 0

  const readBytes = async (file: number, offset: number, length: number): Promise<Buffer> => {
    const id = nextId++
    const answer = await ask(`bytes ${id}`, { kind: 'bytes', id, file, offset, length })
    if (answer.kind !== 'bytes') throw new Error('The answer has no bytes')
    return Buffer.from(answer.bytes.buffer, answer.bytes.byteOffset, answer.bytes.length)
  }
  async function* batches() {
    for (;;) {
      const answer = await ask('batch', { kind: 'batch' })
      if (answer.kind !== 'batch' || answer.isLast) return
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both sides have the types of one `Reader`
      yield answer.batch as never
    }
  }
  const contextOf = (sizes: readonly number[]): ReadingContext<unknown> => ({
    files: sizes.map((size, file) => ({ size, read: (offset, length) => readBytes(file, offset, length) })),
    batches,
    emit: async (piece) => void (await ask('taken', { kind: 'piece', piece })),
  })
  const run = async ({ reader, given, sizes }: Extract<ToThread, { kind: 'task' }>) => {
    const read = readers[reader]
    if (!read) throw new Error(`There is no reader ${reader}`)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- both sides have the types of one `Reader`
    return read(given as never, contextOf(sizes))
  }
  port.on('message', (message: ToThread) => {
    if (message.kind === 'task') {
      send({ kind: 'began' })
      const failed = (error: unknown) =>
        send({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
      void run(message).then((result) => send({ kind: 'done', result }), failed)
      return
    }
    const key = message.kind === 'bytes' ? `bytes ${message.id}` : message.kind
    const resolve = waiting.get(key)
    waiting.delete(key)
    resolve?.(message)
  })
}
