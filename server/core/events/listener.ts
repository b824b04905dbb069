import type { Client } from 'pg'
import { createClient } from '../database/clients'
import type { Deps } from '../deps'
import { changeChannel } from './changes'
import { eventChannel } from './emit'

/** `eventId`: of a new event; null if something else has changed, or notifications may be missing. */
type Wake = (eventId: string | null) => void

const RETRY_MS = 1000
// A connection whose other side has vanished is noticed by a question that stays without an answer.
const PING_MS = 15_000
const ANSWER_MS = 5000

/**
 * One connection of this process that listens for what all processes announce: ids only. It opens with the first follower and
 * opens again when it is lost; followers are then woken, to read what they missed.
 */
export const createListener = ({ pool, log }: Pick<Deps, 'pool' | 'log'>) => {
  const followers = new Map<string, Set<Wake>>()
  const held = new Set<string>()
  let client: Client | undefined
  let opening: Promise<void> | undefined
  let asked: Promise<unknown> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let closed = false

  /** A connection takes one question after the other. */
  const ask = async (text: string, values: readonly string[] = []): Promise<boolean | undefined> => {
    const answer = asked.then(() => client?.query<{ done: boolean }>(text, [...values]))
    asked = answer.catch(() => {})
    return (await answer)?.rows[0]?.done
  }
  const lock = (name: string) => ask('select pg_try_advisory_lock(hashtextextended($1, 0)) as done', [name])

  const wakeAll = () => {
    for (const wakes of followers.values()) for (const wake of wakes) wake(null)
  }
  const schedule = (work: () => Promise<unknown>, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => void work().catch(() => {}), ms).unref()
  }
  const ping = async () => {
    const pinged = client
    await ask('select true as done').catch(() => pinged?.end())
    if (client !== undefined && client === pinged) schedule(ping, PING_MS)
  }

  const open = async () => {
    // The embedded server may be at another port by now.
    const next = createClient(
      {
        connectionString: pool.options.connectionString,
        application_name: 'teasel events',
        connectionTimeoutMillis: ANSWER_MS,
        query_timeout: ANSWER_MS,
        keepAlive: true,
      },
      (error) => closed || log.warn(error, 'the connection for events was lost'),
    )
    const lost = () => {
      if (client === next) client = undefined
      if (!closed && !client) schedule(connect, RETRY_MS)
    }
    next.on('end', lost).on('notification', ({ channel, payload = '' }) => {
      const [projectId = '', eventId = null] = payload.split(' ')
      for (const wake of followers.get(projectId) ?? []) wake(channel === eventChannel ? eventId : null)
    })
    try {
      await next.connect()
      await next.query(`listen ${eventChannel}; listen ${changeChannel}`)
    } catch (error) {
      log.warn(error, 'events are read at intervals: there is no connection that listens')
      await next.end().catch(() => {})
      return lost()
    }
    if (closed) return next.end()
    client = next
    schedule(ping, PING_MS)
    for (const name of held) await lock(name).catch(() => {})
    return wakeAll()
  }
  const connect = () => {
    opening ??= open().finally(() => (opening = undefined))
    return opening
  }

  return {
    /** Calls `wake` at what is announced for a project or person; the connection listens already when this resolves, unless there is none. */
    follow: async (projectId: string, wake: Wake): Promise<() => void> => {
      const wakes = followers.get(projectId) ?? new Set()
      followers.set(projectId, wakes.add(wake))
      if (!client) await connect()
      return () => {
        wakes.delete(wake)
        if (wakes.size === 0 && followers.get(projectId) === wakes) followers.delete(projectId)
      }
    },
    /**
     * Holds one of `count` places of a name in all processes; undefined if all are held. A place ends with the process. Without a
     * connection only the places of this process count.
     */
    hold: async (name: string, count: number): Promise<(() => void) | undefined> => {
      if (!client) await connect()
      for (let n = 0; n < count; n++) {
        const place = `${name} ${n}`
        if (held.has(place)) continue
        held.add(place)
        if ((await lock(place).catch(() => undefined)) !== false)
          return () => {
            held.delete(place)
            void ask('select pg_advisory_unlock(hashtextextended($1, 0)) as done', [place]).catch(() => {})
          }
        held.delete(place)
      }
      return undefined
    },
    close: async (): Promise<void> => {
      closed = true
      clearTimeout(timer)
      await opening
      await client?.end().catch(() => {})
    },
  }
}
