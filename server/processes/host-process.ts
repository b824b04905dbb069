import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { is } from 'superstruct'
import type { Host } from '../core/variables'
import { type Order, Ready } from './messages'

export type HostProcess = {
  host: Host
  child: ChildProcess
  /** The demo's account, where it made one; rejects when the process ends before it listens. */
  ready: Promise<string | undefined>
  /** With what it ended: `exit code 1`, `SIGKILL`. */
  ended: Promise<string>
  send: (order: Order) => void
}

export type HostOptions = {
  /** The program that is started with `host NAME` as its arguments. */
  entry: string
  env: NodeJS.ProcessEnv
  onLine: (line: string) => void
}

/** Starts one host in a process of its own. Lines of its log arrive at `onLine`. */
export const startHostProcess = (host: Host, { entry, env, onLine }: HostOptions): HostProcess => {
  const child = fork(entry, ['host', host], { env, stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  if (child.stdout) createInterface({ input: child.stdout }).on('line', onLine)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  const ready = new Promise<string | undefined>((resolve, reject) => {
    child.on('message', (message) => {
      if (is(message, Ready)) resolve(message.account)
    })
    void ended.then((how) => reject(new Error(`The ${host} host ended with ${how} before it listened.`)))
  })
  // Who does not wait for it looks at `ended`.
  ready.catch(() => {})
  return {
    host,
    child,
    ready,
    ended,
    send: (order) => {
      if (child.connected) child.send(order, () => {})
    },
  }
}
