import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import { root } from '../../server/core/root'

export type Program = {
  child: ChildProcess
  /** Everything printed so far. */
  printed: () => string
  /** Resolves when the program has printed that it is up; rejects with what it printed if it ends before. */
  ready: Promise<void>
  ended: Promise<number | NodeJS.Signals | null>
  /** The process of a host. */
  pidOf: (host: string) => Promise<number | undefined>
  /** kill -9 of it and its hosts, and of others at the same moment. */
  killAll: (...others: number[]) => Promise<void>
}

/** The children of a process: their numbers and command lines. */
const childrenOf = async (parent: number | undefined) => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  const rows = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
  return rows.flatMap((row) => (row && Number(row[2]) === parent ? [{ pid: Number(row[1]), args: row[3] ?? '' }] : []))
}

export const fromSources = ['--import', 'tsx', 'server/main.ts']
/** What `npm test` built before; it starts in a third of the time. */
export const fromBuild = ['dist/server/main.mjs']

/** The server as a process of its own. Only the variables given here reach it, besides the system's. */
export const startServer = (variables: Record<string, string>, program = fromSources): Program => {
  const system = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TEASEL_') && !['DATABASE_URL', 'DATABASE_OWNER_URL'].includes(name),
  )
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
  return {
    child,
    printed: () => text,
    ready,
    ended,
    pidOf: async (host) => (await childrenOf(child.pid)).find(({ args }) => args.endsWith(` host ${host}`))?.pid,
    killAll: async (...others) => {
      // PostgreSQL may be a child too: it goes on, as it is meant to.
      const children = (await childrenOf(child.pid)).filter(({ args }) => / host [\w-]+$/.test(args))
      child.kill('SIGKILL')
      for (const pid of [...children.map((it) => it.pid), ...others]) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has ended by itself, because nobody was there to give it orders.
        }
      }
      await ended
    },
  }
}
