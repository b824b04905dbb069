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

const signals = ['SIGINT', 'SIGTERM'] as const

/** Calls `leave` at the first SIGINT or SIGTERM; the second one ends the process at once. */
export const onFirstSignal = (leave: (signal: NodeJS.Signals) => void): void => {
  const first = (signal: NodeJS.Signals) => {
    for (const name of signals) process.removeAllListeners(name).once(name, () => process.exit(1))
    leave(signal)
  }
  for (const name of signals) process.once(name, first)
}
