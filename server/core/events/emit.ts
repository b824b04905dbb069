import { sql } from 'drizzle-orm'
import type { EventFacts } from '../../../contract/accounts/events'
import { notifyingEventTypes } from '../../../contract/accounts/notifications'
import { events } from '../database/schema/events'
import { notificationQueue } from '../database/schema/notification-queue'
import type { Tx } from '../database/tx'
import { nextId } from '../ids'

/** The channel of PostgreSQL on which each event is announced after its commit, as `projectId id`. */
export const eventChannel = 'teasel_events'

/**
 * `id`: of an event that must be written only once, however often it is found; otherwise a new one. `causedBy`: the id of the person
 * who did it, who is not notified.
 */
export type NewEvent = EventFacts & { projectId: string; id?: string; causedBy?: string | undefined }

/**
 * Writes events in the transaction that does what they say, in one statement, and queues those that people are told. Readers are
 * notified when it commits; an event whose id is there already is left out.
 */
export const emitEvents = async (tx: Tx, made: readonly NewEvent[], now: Date): Promise<void> => {
  if (made.length === 0) return
  const ids = sql.param(made.map(({ id }) => id ?? nextId(now)))
  const projects = sql.param(made.map(({ projectId }) => projectId))
  const types = sql.param(made.map(({ type }) => type))
  const data = sql.param(made.map((one) => JSON.stringify(one.data)))
  const causers = sql.param(made.map(({ causedBy }) => causedBy ?? null))
  const notifying = sql.param([...notifyingEventTypes])
  await tx.execute(sql`
    with given as (
      select * from unnest(${ids}::text[], ${projects}::text[], ${types}::text[], ${data}::text[], ${causers}::text[])
      as given (id, project_id, type, data, caused_by)
    ), made as (
      insert into ${events} (id, project_id, type, at, data)
      select id, project_id, type, ${now.toISOString()}::timestamptz, data::jsonb from given
      on conflict (id) do nothing
      returning id, project_id, type
    ), queued as (
      insert into ${notificationQueue} (event_id, caused_by)
      select id, caused_by from made inner join given using (id) where made.type = any(${notifying}::text[])
    )
    select pg_notify(${eventChannel}, project_id || ' ' || id) from made`)
}

export const emitEvent = (tx: Tx, event: NewEvent, now: Date): Promise<void> => emitEvents(tx, [event], now)
