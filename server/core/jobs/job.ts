import type { SQL } from 'drizzle-orm'
import type { Deps } from '../deps'

export type Job = {
  name: string
  everyS: number
  /** How long a run may be silent before another one replaces it: the process may have been killed (F-16). */
  withinS: number
  /** Time limit of one statement. A request has 5 s, since a person waits for it; a job may take longer. */
  statementS: number
  /** There is something to do. The job rests while this is false, and runs without a condition in each interval. */
  when?: SQL
  /** The result false says that nothing was changed that the job of `wakes` would see. */
  run: (deps: Deps) => Promise<unknown>
  /** The name of a job that runs after this one, whatever its condition is. */
  wakes?: string
}
