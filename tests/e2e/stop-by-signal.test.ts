import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { postmasterOf } from '../../server/core/database/postmaster'
import { root } from '../../server/core/root'
import { isFull } from '../support/counts'
import { freePort } from '../support/free-port'
import { descendantsOf, lives } from '../support/program'

let directory: string
beforeAll(async () => void (directory = await mkdtemp(join(tmpdir(), 'teasel-signal-'))))
afterAll(async () => {
  const left = await postmasterOf(join(directory, 'postgres'))
  if (left) process.kill(left.pid, 'SIGQUIT')
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const variables = async () => ({
  TEASEL_WEB_PORT: String(await freePort()),
  TEASEL_API_PORT: String(await freePort()),
  TEASEL_SIGN_IN_PORT: String(await freePort()),
  TEASEL_DATA_DIR: directory,
})

/** `npm start -- --empty` in a process group of its own, as a terminal or a service manager starts it; up when this resolves. */
const npmStart = async () => {
  const system = Object.entries(process.env).filter(([name]) => !/^(TEASEL_|DATABASE_|npm_)/.test(name))
  const child = spawn('npm', ['start', '--', '--empty'], {
    cwd: root,
    detached: true,
    env: { ...Object.fromEntries(system), ...(await variables()) },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let printed = ''
  const ended = once(child, 'close')
  const up = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
        if (/^data: /m.test(printed)) resolve()
      })
    void ended.then(() => reject(new Error(printed)))
  })
  await up
  const npm = child.pid ?? 0
  const started = await descendantsOf(npm)
  const first = started.find(({ args }) => / server\/start\.mjs/.test(args) && !/ host /.test(args) && /node/.test(args))
  const postgres = (await postmasterOf(join(directory, 'postgres')))?.pid ?? 0
  return { npm, first: first?.pid ?? 0, postgres, all: [npm, ...started.map(({ pid }) => pid), postgres], ended }
}

type Started = Awaited<ReturnType<typeof npmStart>>

const ways: [string, (started: Started) => void][] = [
  ['SIGTERM to the process group', ({ npm }) => process.kill(-npm, 'SIGTERM')],
  ['SIGINT to the process group', ({ npm }) => process.kill(-npm, 'SIGINT')],
  ['SIGTERM to npm', ({ npm }) => process.kill(npm, 'SIGTERM')],
  ['SIGTERM to the program', ({ first }) => process.kill(first, 'SIGTERM')],
  [
    'SIGTERM twice to the program',
    ({ first }) => {
      process.kill(first, 'SIGTERM')
      process.kill(first, 'SIGTERM')
    },
  ],
]

it.each(isFull ? ways : ways.slice(0, 1))('%s of `npm start` leaves no process and no PostgreSQL', async (_, send) => {
  const started = await npmStart()
  expect(started.all.every(lives)).toBe(true)
  expect(started.all.length).toBeGreaterThan(5)
  send(started)
  await started.ended
  await expect.poll(() => started.all.filter(lives)).toEqual([])
})
