import type { Readable } from 'node:stream'
import type { Pool } from 'pg'
import type { Config } from './config'
import type { Database } from './database/open'
import type { TimeLimits } from './http/time-limits'
import type { Logger } from './log'
import type { DiskSpace } from './storage/free-space'

/** The time of the database, the same in every process (`database/clock.ts`). Tests move it; nothing else in the server asks the time. */
export type Clock = () => Date

export type Mail = { to: string; subject: string; text: string }
export type Mailer = (mail: Mail) => Promise<void>

/** Artifact bytes under a name the server made. `range` is inclusive, as in HTTP. */
export type ArtifactStorage = {
  write(key: string, bytes: Readable): Promise<{ size: number; sha256: string }>
  read(key: string, range?: { start: number; end: number }): Promise<Readable>
  size(key: string): Promise<number | undefined>
  remove(key: string): Promise<void>
  /** Takes over a whole, synced file by its name, where the driver can do that without copying. */
  adopt?(key: string, file: string): Promise<void>
  /** Something that changes whenever the stored bytes are written anew. */
  stamp?(key: string): Promise<string | undefined>
  /** What is stored, with the time it was written: for the sweep. */
  list?(): AsyncIterable<{ key: string; writtenAt: Date }>
}

/** What every app is built from: `buildApi(deps)`, `buildSignIn(deps)`. Nothing below reaches for a global. */
export type Deps = {
  config: Config
  db: Database
  pool: Pool
  log: Logger
  clock: Clock
  storage: ArtifactStorage
  mail: Mailer
  /** Other limits of time than the usual ones: in tests, that do not wait for them. */
  timeLimits?: TimeLimits
  /** The space on the file system of a directory; the file system's own answer unless a test gives another. */
  diskSpace?: (directory: string) => Promise<DiskSpace>
}
