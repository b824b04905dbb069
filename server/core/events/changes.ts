import { sql } from 'drizzle-orm'
import type { Tx } from '../database/tx'

/** The channel of PostgreSQL on which the id of a project is announced after a change in it that is no event. */
export const changeChannel = 'teasel_changes'

export const announceChange = async (tx: Tx, projectId: string): Promise<void> =>
  void (await tx.execute(sql`select pg_notify(${changeChannel}, ${projectId})`))
