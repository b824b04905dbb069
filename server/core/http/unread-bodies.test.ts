import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createUpload } from '../../../tests/support/upload-file'
import { buildConsole } from '../../console'
import { buildSignIn } from '../../sign-in'
import { within } from '../../../tests/support/machine-load'

let api: TestApi
let directory: string
let signIn: FastifyInstance
let web: ReturnType<typeof buildConsole>
let ines: Person
let location: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-bodies-'))
  await writeFile(join(directory, 'index.html'), '<!doctype html><html><head></head><body></body></html>')
  api = await createTestApi()
  signIn = buildSignIn(api.deps)
  web = buildConsole({ config: api.config, log: api.deps.log, directory })
  for (const app of [api.app, signIn, web]) await app.listen({ port: 0, host: '127.0.0.1' })
  ines = await api.person()
  const maker = await createReleaseFixture(api, ines, await api.project({ ownerId: ines.id }))
  const { assetId } = await maker.draft({ version: 1, bytes: Buffer.alloc(4_000_000) })
  location = String((await createUpload(api, ines, assetId, { size: 4_000_000 })).headers.location)
})
afterAll(async () => {
  await Promise.all([signIn.close(), web.close()])
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

const hosts = {
  api: () => [api.app, api.config.urls.api] as const,
  'sign-in': () => [signIn, api.config.urls['sign-in']] as const,
  console: () => [web, api.config.urls.console] as const,
}

type Sent = { line: string; headers?: Record<string, string>; size: number; chunked?: boolean }

const headOf = (host: keyof typeof hosts, line: string, headers: Record<string, string>) =>
  [`${line} HTTP/1.1`, `Host: ${new URL(hosts[host]()[1]).host}`, ...Object.entries(headers).map((pair) => pair.join(': '))]
    .join('\r\n')
    .concat('\r\n\r\n')

/** Sends a request with its complete body and then, on the same connection, one that is always answered. */
const sendTwo = async (host: keyof typeof hosts, { line, headers = {}, size, chunked = false }: Sent) => {
  const { port } = hosts[host]()[0].server.address() as AddressInfo
  const socket = createConnection(port, '127.0.0.1')
  let answers = ''
  socket.on('error', () => {})
  socket.on('data', (chunk) => (answers += chunk.toString('latin1')))
  await once(socket, 'connect')
  const length: Record<string, string> = chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': String(size) }
  const bytes = randomBytes(size)
  socket.write(headOf(host, line, { ...headers, ...length }))
  socket.write(chunked ? Buffer.concat([Buffer.from(`${size.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')]) : bytes)
  const statuses = () => [...answers.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status))
  await expect.poll(() => statuses().length > 0 || socket.closed, { timeout: within(10_000) }).toBe(true)
  socket.write(headOf(host, 'GET /healthz', {}))
  await expect.poll(() => statuses().length > 1 || socket.closed, { timeout: within(10_000) }).toBe(true)
  const found = { statuses: statuses(), isClosed: socket.closed, answers }
  socket.destroy()
  return found
}

const tus = (offset: number) => ({
  'Tus-Resumable': '1.0.0',
  'X-Session-Token': ines.token,
  'Content-Type': 'application/offset+octet-stream',
  'Upload-Offset': String(offset),
})
const json = { 'Content-Type': 'application/json' }

const refused: [string, keyof typeof hosts, () => Sent, number][] = [
  ['an upload at another offset', 'api', () => ({ line: `PATCH ${location}`, headers: tus(7), size: 900_000 }), 409],
  [
    'an upload at another offset, chunked',
    'api',
    () => ({ line: `PATCH ${location}`, headers: tus(7), size: 900_000, chunked: true }),
    409,
  ],
  [
    'an upload without a session',
    'api',
    () => ({ line: `PATCH ${location}`, headers: { ...tus(0), 'X-Session-Token': 'no' }, size: 900_000 }),
    401,
  ],
  ['bytes where JSON is taken', 'api', () => ({ line: 'POST /organizations', headers: tus(0), size: 900_000 }), 415],
  [
    'a body that is not gzip',
    'api',
    () => ({ line: 'POST /organizations', headers: { ...tus(0), ...json, 'Content-Encoding': 'gzip' }, size: 900_000 }),
    400,
  ],
  [
    'an unknown encoding',
    'api',
    () => ({ line: 'POST /organizations', headers: { ...tus(0), ...json, 'Content-Encoding': 'br' }, size: 900_000 }),
    415,
  ],
  ['a route that does not exist', 'api', () => ({ line: 'POST /nothing', headers: json, size: 900_000 }), 404],
  [
    'another origin',
    'api',
    () => ({ line: 'POST /organizations', headers: { ...json, Origin: 'http://evil.example' }, size: 900_000 }),
    403,
  ],
  ['a path that cannot be read', 'api', () => ({ line: 'POST /%', headers: json, size: 900_000 }), 400],
  [
    'a form that is too large',
    'sign-in',
    () => ({ line: 'POST /signin', headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, size: 900_000 }),
    400,
  ],
  ['a type that is no form', 'sign-in', () => ({ line: 'POST /signin', headers: json, size: 900_000 }), 400],
  ['a page that takes no body', 'console', () => ({ line: 'POST /index.html', headers: json, size: 900_000 }), 400],
]

it.each(refused)(
  'after refusing %s, the %s host answers the next request or ends the connection',
  async (_, host, sent, status) => {
    const { statuses, isClosed } = await sendTwo(host, sent())
    expect(statuses[0]).toBe(status)
    expect(statuses[1] === 200 || isClosed).toBe(true)
  },
)

it('a refused upload of less than 1 MiB keeps its connection for the next request', async () => {
  const { statuses } = await sendTwo('api', { line: `PATCH ${location}`, headers: tus(7), size: 900_000 })
  expect(statuses).toEqual([409, 200])
})

it('a refused upload of more than 1 MiB is answered, and its connection ends instead of being read to the end', async () => {
  const { answers, isClosed } = await sendTwo('api', { line: `PATCH ${location}`, headers: tus(7), size: 3_000_000 })
  expect(answers).toMatch(/^HTTP\/1\.1 409/)
  expect(answers.toLowerCase()).toContain('connection: close')
  expect(isClosed).toBe(true)
})
