import { setTimeout as pause } from 'node:timers/promises'
import type PgBoss from 'pg-boss'
import type { QueryConfig } from 'pg'
import type { Deps } from '../deps'
import { runInTrace } from '../tracing/trace'
import type { Job } from './job'
import { lookFor, readSeen, type Seen } from './look.repository'

/** Decision 83. In milliseconds. */
const lookMs = 1000
/** A job whose condition is false runs all the same after so many seconds: for leftovers that no condition names. */
const restS = 300
/** How soon a job is tried again whose last run has not ended, and at most how often. */
const againS = 10

export type Queue = {
  boss: Pick<PgBoss, 'send' | 'fetch' | 'complete' | 'expire'>
  query: (query: QueryConfig) => Promise<{ rows: Record<string, never>[] }>
}

type Turn = {
  job: Job
  deps: Deps
  /** The interval of which no run is missing. */
  slot: number
  /** In seconds of the database's clock. */
  restsUntil: number
  triesFrom: number
  isAwake: boolean
  isRunning: boolean
}

/** Waits for `work`, but at most so many seconds. */
export const atMost = async (seconds: number, work: Promise<unknown>): Promise<void> => {
  const over = new AbortController()
  const limit = pause(seconds * 1000, undefined, { ref: false, signal: over.signal }).catch(() => {})
  await Promise.race([work, limit]).finally(() => over.abort())
}

const runOnce = async (deps: Deps, { name, everyS, run }: Job): Promise<unknown> => {
  const before = performance.now()
  const ended = (isDone: boolean) => {
    const seconds = (performance.now() - before) / 1000
    deps.metrics?.countJobRun({ job: name, everyS, isDone, seconds, at: new Date() })
  }
  try {
    const result = await runInTrace(deps.spans, `job ${name}`, async () => run(deps))
    ended(true)
    return result
  } catch (error) {
    ended(false)
    deps.log.error({ err: error, job: name }, 'a job failed')
    return undefined
  }
}

const isPending = async ({ query }: Queue, name: string): Promise<boolean> => {
  const text = `select name from pgboss.job where name = $1 and state <= 'active' limit 1`
  return (await query({ name: 'pending run', text, values: [name] })).rows.length > 0
}

/** Requests the run of this interval and does what is due. False if another run has not ended: its process may have been killed. */
const take = async (queue: Queue, { job, deps }: Turn, wake: (name: string) => void): Promise<boolean> => {
  const { name, everyS, withinS, wakes } = job
  await queue.boss.send(name, {}, { singletonSeconds: everyS })
  const [due] = await queue.boss.fetch(name)
  if (!due) {
    if (!(await isPending(queue, name))) return true
    await queue.boss.expire()
    return false
  }
  const run = runOnce(deps, job).then((result) => {
    if (wakes !== undefined && result !== false) wake(wakes)
  })
  await atMost(withinS, run)
  await queue.boss.complete(name, due.id)
  return true
}

/** Gives each job its turn in each of its intervals, until `stopping`; resolves when no run that it waits for is left. */
export const takeTurns = async (
  queue: Queue,
  jobs: readonly { job: Job; deps: Deps }[],
  stopping: AbortSignal,
): Promise<void> => {
  const list = jobs.map(({ job }) => job)
  const woken = new Set(list.map(({ wakes }) => wakes))
  const turns = jobs.map<Turn>((one) => ({
    ...one,
    slot: -1,
    restsUntil: Number.POSITIVE_INFINITY,
    triesFrom: 0,
    // The process that would have woken it may have been killed.
    isAwake: woken.has(one.job.name),
    isRunning: false,
  }))
  const running = new Set<Promise<void>>()
  let clock = { atS: Date.now() / 1000, readAt: performance.now() }
  const nowS = () => clock.atS + (performance.now() - clock.readAt) / 1000
  const slotOf = ({ job }: Turn) => Math.floor(nowS() / job.everyS)
  const isDue = (turn: Turn) => !turn.isRunning && turn.slot !== slotOf(turn) && turn.triesFrom <= nowS()
  const wake = (name: string) => {
    for (const turn of turns) if (turn.job.name === name) turn.isAwake = true
  }

  const run = async (turn: Turn) => {
    const { job, deps } = turn
    const slot = slotOf(turn)
    turn.isRunning = true
    turn.isAwake = false
    try {
      const isDone = await take(queue, turn, wake)
      if (isDone) turn.slot = slot
      else turn.triesFrom = nowS() + Math.min(job.everyS, againS)
      turn.isAwake ||= !isDone
      turn.restsUntil = nowS() + restS
    } catch (error) {
      turn.isAwake = true
      turn.triesFrom = nowS() + Math.min(job.everyS, againS)
      // The run of a process that stops is replaced when its time is over.
      if (stopping.aborted) deps.log.info({ err: error, job: job.name }, 'a job outlasted the stop of its process')
      else deps.log.error({ err: error, job: job.name }, 'a job could not be queued')
    } finally {
      turn.isRunning = false
    }
  }

  const rest = (turn: Turn) => {
    const { job, deps } = turn
    turn.slot = slotOf(turn)
    if (turn.restsUntil === Number.POSITIVE_INFINITY) turn.restsUntil = nowS() + restS
    deps.metrics?.countJobRun({ job: job.name, everyS: job.everyS, isDone: true, seconds: 0, at: new Date() })
  }

  /** Undefined if the database cannot be asked: then each job tries for itself. */
  const look = async (due: readonly Turn[]): Promise<Seen | undefined> => {
    const { rows } = await queue.query(lookFor(list, new Set(due.map(({ job }) => job.name))))
    const seen = rows[0] && readSeen(rows[0])
    if (seen) clock = { atS: seen.atS, readAt: performance.now() }
    return seen
  }

  while (!stopping.aborted) {
    const begun = performance.now()
    const due = turns.filter(isDue)
    const seen = due.length > 0 ? await look(due).catch(() => undefined) : undefined
    if (stopping.aborted) break
    for (const turn of due.filter(isDue)) {
      const { name, when } = turn.job
      const hasWork = when === undefined || seen === undefined || seen.names.has(name)
      if (!hasWork && !turn.isAwake && nowS() < turn.restsUntil) rest(turn)
      else {
        const task = run(turn).finally(() => running.delete(task))
        running.add(task)
      }
    }
    const left = lookMs - (performance.now() - begun)
    await pause(Math.max(left, 0), undefined, { signal: stopping, ref: false }).catch(() => {})
  }
  await Promise.all(running)
}
