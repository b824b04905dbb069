import { once } from 'node:events'
import { Readable, Writable } from 'node:stream'
import type { ClientBase, Connection } from 'pg'

type Tag = { text: string }
/** Methods of the driver's connection that its types leave out. */
type CopyConnection = Connection & {
  sendCopyFromChunk: (chunk: Buffer) => void
  endCopyFrom: () => void
  sendCopyFail: (reason: string) => void
}

const rowsIn = ({ text }: Tag) => Number(/^COPY (\d+)/.exec(text)?.[1] ?? 0)

/** The stream of `copy … to stdout`, with back-pressure. The driver passes it the messages of the protocol. */
export class CopyOut extends Readable {
  rows = 0
  readonly #text: string
  #connection: Connection | undefined

  constructor(text: string) {
    super()
    this.#text = text
  }

  submit(connection: Connection) {
    this.#connection = connection
    connection.query(this.#text)
  }

  override _read() {
    this.#connection?.stream.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    // The connection continues even if the stream is no longer read.
    this.#connection?.stream.resume()
    done(error)
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: Connection) {
    // The chunk is a part of the driver's buffer, which the next packet overwrites before this stream has been read.
    if (!this.destroyed && !this.push(Buffer.from(chunk))) connection.stream.pause()
  }

  handleCommandComplete(tag: Tag) {
    this.rows = rowsIn(tag)
  }

  handleReadyForQuery() {
    this.push(null)
  }

  handleError(error: Error) {
    this.destroy(error)
  }
}

/** The stream of `copy … from stdin`. It finishes when the server has accepted all of it. */
export class CopyIn extends Writable {
  rows = 0
  readonly #text: string
  #connection: CopyConnection | undefined
  readonly #begun: Promise<CopyConnection>
  #begin = (_connection: CopyConnection) => {}
  #finish: ((error?: Error | null) => void) | undefined

  constructor(text: string) {
    super()
    this.#text = text
    this.#begun = new Promise((resolve) => (this.#begin = resolve))
  }

  submit(connection: Connection) {
    connection.query(this.#text)
  }

  handleCopyInResponse(connection: CopyConnection) {
    this.#connection = connection
    this.#begin(connection)
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void) {
    const send = async () => {
      const connection = await this.#begun
      connection.sendCopyFromChunk(chunk)
      if (connection.stream.writableNeedDrain) await once(connection.stream, 'drain')
    }
    send().then(() => done(), done)
  }

  override _final(done: (error?: Error | null) => void) {
    this.#finish = done
    void this.#begun.then((connection) => connection.endCopyFrom())
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void) {
    // The server discards everything if the source fails.
    if (error && this.#finish === undefined) this.#connection?.sendCopyFail('the source failed')
    done(error)
  }

  handleCommandComplete(tag: Tag) {
    this.rows = rowsIn(tag)
  }

  handleReadyForQuery() {
    this.#finish?.()
  }

  handleError(error: Error) {
    this.destroy(error)
  }
}

/** Queues the copy on the connection, after the queries before it. */
export const startCopy = <T extends CopyIn | CopyOut>(client: ClientBase, copy: T): T => client.query(copy)
