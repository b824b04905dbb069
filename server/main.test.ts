import { once } from 'node:events'
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../tests/support/free-port'
import { type Program, startServer } from '../tests/support/program'
import { postmasterOf } from './core/database/postmaster'

let home: string
let directory: string
let started: Program[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'teasel-main-'))
  await chmod(home, 0o700)
  directory = join(home, 'data')
  started = []
})
afterEach(async () => {
  for (const { child, ended } of started) {
    child.kill('SIGKILL')
    await ended
  }
  const left = await postmasterOf(join(directory, 'postgres'))
  if (left) process.kill(left.pid, 'SIGQUIT')
  await rm(home, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
})

const start = async (variables: Record<string, string> = {}) => {
  const port = String(await freePort())
  const program = startServer({
    TEASEL_HOSTS: 'api',
    TEASEL_API_PORT: port,
    TEASEL_DATA_DIR: directory,
    TEASEL_EMPTY: '1',
    ...variables,
  })
  started.push(program)
  return { ...program, port: Number(variables.TEASEL_API_PORT ?? port) }
}

const isUp = (port: number) =>
  fetch(`http://localhost:${port}/readyz`).then(
    (answer) => answer.status === 200,
    () => false,
  )

it('F-22, F-16: a second start is refused with the holder named; after kill -9 the next one starts at once, on the same PostgreSQL', async () => {
  const first = await start()
  await first.ready
  expect(await isUp(first.port)).toBe(true)
  const postgres = await postmasterOf(join(directory, 'postgres'))
  const second = await start()
  expect(await second.ended).toBe(1)
  expect(second.printed()).toMatch(
    new RegExp(`in use by process ${first.child.pid}, running since .* another directory in TEASEL_DATA_DIR`),
  )
  expect(await isUp(first.port)).toBe(true)
  first.child.kill('SIGKILL')
  await first.ended
  const third = await start()
  await third.ready
  expect(await isUp(third.port)).toBe(true)
  expect((await postmasterOf(join(directory, 'postgres')))?.pid).toBe(postgres?.pid)
})

it('F-25: SIGTERM finishes the request that is running, then closes hosts, database and lock', async () => {
  const program = await start()
  await program.ready
  const socket = connect(program.port, '127.0.0.1')
  const answer = text(socket)
  const body = JSON.stringify({ code: 'x', code_verifier: 'y' })
  const head = `POST /sessions HTTP/1.1\r\nHost: localhost:${program.port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`
  socket.write(head + body.slice(0, 5))
  // The server has accepted the request once it has answered another one on a later connection.
  expect(await isUp(program.port)).toBe(true)
  program.child.kill('SIGTERM')
  while (await isUp(program.port));
  socket.write(body.slice(5))
  expect(await answer).toMatch(/^HTTP\/1\.1 4\d\d /)
  expect(await program.ended).toBe(0)
  expect(await postmasterOf(join(directory, 'postgres'))).toBeUndefined()
  expect(await readdir(directory)).not.toContain('lock')
})

it('F-25: a signal while it is still starting leaves nothing running either', async () => {
  const program = await start()
  const log = join(directory, 'postgres.log')
  while (!(await readFile(log, 'utf8').catch(() => '')));
  program.child.kill('SIGTERM')
  expect(await program.ended).toBe(0)
  expect(await postmasterOf(join(directory, 'postgres'))).toBeUndefined()
})

it('says which variable changes a port that is taken, before anything is opened', async () => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const address = other.address()
  const port = address !== null && typeof address === 'object' ? address.port : 0
  const program = await start({ TEASEL_API_PORT: String(port) })
  expect(await program.ended).toBe(1)
  expect(program.printed()).toContain(`Port ${port} of the api host is taken. Name another one in TEASEL_API_PORT.`)
  expect(await readdir(directory)).toEqual(['teasel.log'])
  other.close()
})

it('names the variable that is wrong', async () => {
  const program = await start({ TEASEL_API_PORT: 'http' })
  expect(await program.ended).toBe(1)
  expect(program.printed()).toBe('TEASEL_API_PORT: expected a whole number from 1 to 65535\n')
})
