import type { Logger } from '../core/log'

export type Close = () => Promise<void>

/** Closes the resources in the opposite order, once; continues after errors. */
export const closeInTurn = (opened: readonly Close[], log: Logger): Close => {
  let closed: Promise<void> | undefined
  const all = async () => {
    for (const it of opened.toReversed()) await it().catch((error: unknown) => log.error(error, 'could not close'))
  }
  return () => (closed ??= all())
}

/** A signal to a process group arrives more than once: npm passes it on, and server/start.mjs ends after its shell. */
const ECHO_MS = 2000

export type Leaving = {
  /** Called at the first signal. */
  leave: (signal: NodeJS.Signals) => void
  /** Called at each one that comes later than those which the first caused. */
  hasten: () => void
  now?: () => number
}

/** Tells of SIGINT and SIGTERM. No signal ends the process by itself: that would leave PostgreSQL running. */
export const onSignals = ({ leave, hasten, now = () => performance.now() }: Leaving): void => {
  let first: number | undefined
  const take = (signal: NodeJS.Signals) => {
    if (first === undefined) {
      first = now()
      leave(signal)
    } else if (now() - first > ECHO_MS) hasten()
  }
  process.on('SIGINT', take).on('SIGTERM', take)
}
