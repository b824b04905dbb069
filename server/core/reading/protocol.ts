import type { ByteReader } from '../storage/stored-bytes'

/** What a reader in a thread gets besides its input. */
export type ReadingContext<Piece = never, Batch = never> = {
  files: readonly ByteReader[]
  /** Input that is passed in parts, so that no thread copies all of it at once. */
  batches: () => AsyncGenerator<Batch>
  /** Passes a part of the result on; resolves when it was taken. */
  emit: (piece: Piece) => Promise<void>
}

/** Reads foreign files in a thread. What the file breaks belongs to the result; it throws only for an error of its own. */
export type Reader<Given, Result, Piece = never, Batch = never> = (
  given: Given,
  context: ReadingContext<Piece, Batch>,
) => Promise<Result>

export type ToThread =
  | { kind: 'task'; reader: string; given: unknown; sizes: readonly number[] }
  | { kind: 'bytes'; id: number; bytes: Uint8Array }
  | { kind: 'batch'; batch: unknown; isLast: boolean }
  | { kind: 'taken' }

export type FromThread =
  | { kind: 'began' }
  | { kind: 'bytes'; id: number; file: number; offset: number; length: number }
  | { kind: 'batch' }
  | { kind: 'piece'; piece: unknown }
  | { kind: 'done'; result: unknown }
  | { kind: 'failed'; message: string }
