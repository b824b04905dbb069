import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../support/free-port'

export const root = fileURLToPath(new URL('../../..', import.meta.url))

export type Product = {
  console: string
  signIn: string
  api: string
  data: string
  /** Only of a demo start. */
  account: { email: string; password: string } | undefined
  process: ChildProcess
  /** All output, for a failing test. */
  output: () => string
  /** Sends SIGTERM, as a service manager does; resolves with the exit code. */
  stop: () => Promise<number | null>
}

export const ended = (child: ChildProcess) =>
  new Promise<number | null>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve(child.exitCode)
    else child.once('exit', (code) => resolve(code))
  })

type Options = { demo?: boolean; dev?: boolean; env?: Record<string, string>; data?: string }

/** `npm start`, or `npm run dev`, on its own ports and data directory. Rejects with the output if it ends before it is ready. */
export const startProduct = async ({ demo = false, dev = false, env = {}, data }: Options = {}): Promise<Product> => {
  const directory = data ?? (await mkdtemp(join(tmpdir(), 'teasel-e2e-')))
  const [web, api, signIn] = [await freePort(), await freePort(), await freePort()]
  const child = spawn(process.execPath, ['server/start.mjs', ...(demo ? [] : ['--empty']), ...(dev ? ['--dev'] : [])], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      // The test runner's variables must not reach the product.
      NODE_ENV: dev ? 'development' : 'production',
      VITEST: '',
      TEASEL_WEB_PORT: String(web),
      TEASEL_API_PORT: String(api),
      TEASEL_SIGN_IN_PORT: String(signIn),
      TEASEL_DATA_DIR: directory,
      TEASEL_LIMIT_DATABASE_S: '120',
      ...env,
    },
  })
  const lines: string[] = []
  const said = new Map<string, string>()
  // In development the console is a separate process.
  const awaited = ['console', demo ? 'account' : 'data']
  await new Promise<void>((resolve, reject) => {
    const read = (line: string) => {
      lines.push(line)
      const [, name, value] = /^(console|sign-in|api|data|account): (.+)$/.exec(line) ?? []
      if (name && value) said.set(name, value)
      if (awaited.every((one) => said.has(one))) resolve()
    }
    createInterface({ input: child.stdout }).on('line', read)
    createInterface({ input: child.stderr }).on('line', (line) => lines.push(line))
    child.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${lines.join('\n')}`)))
  })
  const account = said.get('account')?.split(' ')
  return {
    console: said.get('console') ?? '',
    signIn: said.get('sign-in') ?? '',
    api: said.get('api') ?? '',
    data: directory,
    account: account?.[0] && account[1] ? { email: account[0], password: account[1] } : undefined,
    process: child,
    output: () => lines.join('\n'),
    stop: async () => {
      child.kill('SIGTERM')
      const code = await ended(child)
      if (data === undefined) await rm(directory, { recursive: true, force: true })
      return code
    },
  }
}
