import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { root } from '../../server/root'

export type Program = {
  child: ChildProcess
  /** Everything printed so far. */
  printed: () => string
  /** Resolves when the program has printed that it is up; rejects with what it printed if it ends before. */
  ready: Promise<void>
  ended: Promise<number | NodeJS.Signals | null>
}

export const fromSources = ['--import', 'tsx', 'server/main.ts']
/** What `npm test` built before; it starts in a third of the time. */
export const fromBuild = ['dist/server/main.mjs']

/** The server as a process of its own. Only the variables given here reach it, besides the system's. */
export const startServer = (variables: Record<string, string>, program = fromSources): Program => {
  const system = Object.entries(process.env).filter(([name]) => !name.startsWith('TEASEL_') && name !== 'DATABASE_URL')
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { ...Object.fromEntries(system), ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let text = ''
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode)
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk
        if (/^data: /m.test(text)) resolve()
      })
    void ended.then(() => reject(new Error(text)))
  })
  // Tests that expect a refusal look at `ended` alone.
  ready.catch(() => {})
  return { child, printed: () => text, ready, ended }
}
