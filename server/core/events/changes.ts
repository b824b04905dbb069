import { sql } from 'drizzle-orm'
import type { Tx } from '../database/tx'

/** The channel of PostgreSQL on which the id of a project or person is announced after a change that is no event. */
export const changeChannel = 'teasel_changes'

export const announceChange = async (tx: Tx, ...ids: string[]): Promise<void> =>
  void (await tx.execute(sql`select pg_notify(${changeChannel}, id) from unnest(${sql.param(ids)}::text[]) as id`))
