import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { is } from 'superstruct'
import type { Host } from '../core/variables'
import { type Order, Ready } from './messages'

export type HostProcess = {
  host: Host
  child: ChildProcess
  /** The demo's account, if the host created one; rejects when the process ends before it listens. */
  ready: Promise<string | undefined>
  /** How it ended: `exit code 1`, `SIGKILL`. */
  ended: Promise<string>
  send: (order: Order) => void
}

export type HostOptions = {
  /** The program, started with the arguments `host NAME`. */
  entry: string
  env: NodeJS.ProcessEnv
  onLine: (line: string) => void
}

/** Starts one host in its own process. Lines of its log are passed to `onLine`. */
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
  // Callers that do not wait for it use `ended`.
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
