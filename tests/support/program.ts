import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { root } from '../../server/core/root'

export type Program = {
  child: ChildProcess
  /** All output so far. */
  printed: () => string
  /** Resolves when the program has printed that it is up; rejects with its output if it ends before. */
  ready: Promise<void>
  ended: Promise<number | NodeJS.Signals | null>
  /** The process of a host. */
  pidOf: (host: string) => Promise<number | undefined>
  /** kill -9 of it and its hosts, and of others at the same time. */
  killAll: (...others: number[]) => Promise<void>
}

type Listed = { pid: number; parent: number; args: string }

const listProcesses = async (): Promise<Listed[]> => {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,args='])
  const rows = stdout.split('\n').map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
  return rows.flatMap((row) => (row ? [{ pid: Number(row[1]), parent: Number(row[2]), args: row[3] ?? '' }] : []))
}

/** The children of a process: their ids and command lines. */
const childrenOf = async (parent: number | undefined) => (await listProcesses()).filter((it) => it.parent === parent)

/** The children of a process, and theirs. */
export const descendantsOf = async (pid: number): Promise<Listed[]> => {
  const all = await listProcesses()
  const below = (parent: number): Listed[] => all.filter((it) => it.parent === parent).flatMap((it) => [it, ...below(it.pid)])
  return below(pid)
}

/** Whether a process runs. One that has ended and was not waited for yet does not. */
export const lives = (pid: number): boolean => {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

export const fromSources = ['--import', 'tsx', 'server/main.ts']
/** Built earlier by `npm test`; starts in a third of the time. */
export const fromBuild = ['dist/server/main.mjs']

/**
 * The server as a separate process. It gets only the given variables, besides the system's and a long limit of the database: a loaded
 * machine can stand still for half a minute, which must not answer a request with 503.
 */
export const startServer = (variables: Record<string, string>, program = fromSources): Program => {
  const system = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('TEASEL_') && !['DATABASE_URL', 'DATABASE_OWNER_URL'].includes(name),
  )
  const child = spawn(process.execPath, program, {
    cwd: root,
    env: { ...Object.fromEntries(system), TEASEL_LIMIT_DATABASE_S: '120', ...variables },
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
  // Tests that expect a refusal use `ended` only.
  ready.catch(() => {})
  return {
    child,
    printed: () => text,
    ready,
    ended,
    pidOf: async (host) => (await childrenOf(child.pid)).find(({ args }) => args.endsWith(` host ${host}`))?.pid,
    killAll: async (...others) => {
      // PostgreSQL may be a child too: it must keep running.
      const children = (await childrenOf(child.pid)).filter(({ args }) => / host [\w-]+$/.test(args))
      child.kill('SIGKILL')
      for (const pid of [...children.map((it) => it.pid), ...others]) {
        try {
          process.kill(pid, 'SIGKILL')
        } catch {
          // It has already ended, because its parent process was gone.
        }
      }
      await ended
    },
  }
}
