import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../core/log'
import type { Host } from '../core/variables'
import { createDeathCount } from './deaths'
import { type HostOptions, type HostProcess, startHostProcess } from './host-process'
import type { Order } from './messages'

export type SupervisorOptions = Pick<HostOptions, 'entry' | 'onLine'> & {
  log: Logger
  /** Called at each start, since the database may have moved. */
  env: () => NodeJS.ProcessEnv
  /** How long a host may take to end after the request to close. */
  closeWithinMs: number
  /** Called once, when hosts ended too often to be restarted. */
  onGiveUp: (reason: Error) => void
}

export type SupervisedHosts = {
  /** Resolves when each host listens, with the account of the demo if there is one; rejects when one ends before. */
  ready: Promise<string | undefined>
  tell: (order: Order) => void
  close: () => Promise<void>
  /** Ends the hosts at once. */
  kill: () => void
}

/** Runs each host in its own process and restarts one that ended. Five unexpected ends within a minute end all. */
export const superviseHosts = (hosts: readonly Host[], options: SupervisorOptions): SupervisedHosts => {
  const { log } = options
  const countDeath = createDeathCount()
  const running = new Map<Host, HostProcess>()
  let closing = false

  const start = (host: Host, restarts: number): HostProcess => {
    const started = startHostProcess(host, { ...options, env: options.env() })
    running.set(host, started)
    const { child, ready, ended } = started
    let isUp = false
    void ready.then(
      () => {
        isUp = true
        log.info({ host, pid: child.pid, restarts }, 'a host listens')
      },
      () => {},
    )
    void ended.then(async (how) => {
      running.delete(host)
      // `ready` reports a host that cannot start at all.
      if (closing || (!isUp && restarts === 0)) return
      const { count, isLast, waitMs } = countDeath()
      log.error({ host, pid: child.pid, how, deaths: count, wait_ms: waitMs }, 'a host ended unexpectedly')
      if (isLast)
        return options.onGiveUp(
          new Error(`The ${host} host ended with ${how}: the fifth time within a minute that a host ended.`),
        )
      await pause(waitMs)
      if (!closing) start(host, restarts + 1)
    })
    return started
  }

  const kill = () => running.forEach(({ child }) => child.kill('SIGKILL'))
  const begun = hosts.map((host) => start(host, 0).ready)
  return {
    ready: Promise.all(begun).then((accounts) => accounts.find((account) => account !== undefined)),
    tell: (order) => running.forEach(({ send }) => send(order)),
    close: async () => {
      closing = true
      const left = [...running.values()]
      for (const { send } of left) send({ kind: 'close' })
      const end = setTimeout(kill, options.closeWithinMs)
      await Promise.all(left.map(({ ended }) => ended))
      clearTimeout(end)
    },
    kill,
  }
}
