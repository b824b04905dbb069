import type { Readable } from 'node:stream'
import type { Pool } from 'pg'
import type { Config } from './config'
import type { Database } from './database/open'
import type { TimeLimits } from './http/time-limits'
import type { Logger } from './log'
import type { Metrics } from './metrics/metrics'
import type { DiskSpace } from './storage/free-space'
import type { Spans } from './tracing/trace'

/**
 * The time of the database, the same in every process (`database/clock.ts`). Tests move it; nothing else in the server reads
 * the time.
 */
export type Clock = () => Date

/** `headers`: beyond those that every mail has. */
export type Mail = { to: string; subject: string; text: string; html?: string; headers?: Readonly<Record<string, string>> }
export type Mailer = (mail: Mail) => Promise<void>

/** Receives the bytes of one file after those that are stored already. */
export type Appender = {
  /** Takes a chunk; a promise if the caller must wait before the next one. */
  write(chunk: Buffer): Promise<void> | undefined
  /** Makes bytes durable while others arrive; returns how many are. */
  checkpoint(): Promise<number>
  /** Rejects if a byte that was taken could not be stored. */
  flush(): Promise<void>
  /** Returns how many bytes are durable. Nothing can be written afterwards. */
  end(): Promise<number>
}

/** The running hash of a file's bytes. */
export type RunningHash = {
  /** Takes the next bytes; a promise while another thread reads them, which then must not be changed. */
  update(bytes: Buffer): Promise<void> | undefined
}

export type Append = {
  offset: number
  size: number
  /** Gets the bytes in their order. */
  hash?: RunningHash | undefined
  /** Whether nobody else uses the memory of the chunks: it may be freed once they are written. */
  ownsChunks?: boolean
}

/** Files that arrive in pieces, under the key that they get in the storage. */
export type IncomingFiles = {
  begin(key: string): Promise<void>
  /**
   * How many bytes are durable and may be acknowledged (F-11, F-17); 0 if there are none. A file of `durable` bytes is known to be: this
   * process has written them.
   */
  size(key: string, durable?: number): Promise<number>
  /** Continues after the first `offset` bytes of a file that has `size` in all. */
  append(key: string, at: Append): Promise<Appender>
  /** Bytes of an unfinished file; absent where only finished ones can be read. */
  read?(key: string, range?: { start: number; end: number }): Promise<Readable>
  /** Moves a complete file into the storage. */
  finish(key: string): Promise<void>
  remove(key: string): Promise<void>
  list(): AsyncIterable<{ key: string; writtenAt: Date }>
}

/** Artifact bytes under a name made by the server. `range` is inclusive, as in HTTP. */
export type ArtifactStorage = {
  write(key: string, bytes: Readable): Promise<{ size: number; sha256: string }>
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  size(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** Takes ownership of a complete, synced file by its path, where the driver can do that without copying. */
  adopt?(key: string, file: string): Promise<void>
  /** A value that changes whenever the stored bytes are rewritten. */
  stamp?(key: string): Promise<string | undefined>
  /** The stored keys with the time of writing, for the sweep of unused ones. */
  list?(): AsyncIterable<{ key: string; writtenAt: Date }>
  /** Absent where unfinished files are in the uploads directory. */
  incoming?: IncomingFiles
}

/** What is measured for operators; each is absent unless it is configured. */
export type Measuring = { metrics?: Metrics; spans?: Spans }

/** The dependencies of every app: `buildApi(deps)`, `buildSignIn(deps)`. The layers below use no globals. */
export type Deps = Measuring & {
  config: Config
  db: Database
  pool: Pool
  /** The replica of `DATABASE_READ_URL`, while its lag is below the limit. */
  findReplica?: () => Database | undefined
  log: Logger
  clock: Clock
  storage: ArtifactStorage
  mail: Mailer
  /** Shorter time limits for tests. */
  timeLimits?: TimeLimits
  /** The free space on the file system of a directory; tests replace it. */
  diskSpace?: (directory: string) => Promise<DiskSpace>
}
