import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { assetLink } from '../../../contract/updates/release-assets'
import { createTestApi, type TestApi } from '../../../tests/support/api'
import { isFull, repetitions } from '../../../tests/support/counts'
import { within } from '../../../tests/support/machine-load'
import { createTestObjects } from '../../../tests/support/test-objects'
import type { Person } from '../../../tests/support/people'
import { createReleaseFixture } from '../../../tests/support/release-fixture'
import { createUpload, offsetOf, uploadFile } from '../../../tests/support/upload-file'
import { buildApi } from '../../api'
import { buildConsole } from '../../console'
import { buildSignIn } from '../../sign-in'
import type { TimeLimits } from './time-limits'

const names = ['api', 'sign-in', 'console'] as const
type Name = (typeof names)[number]
type Hosts = Record<Name, FastifyInstance>

/** A public installation behind a trusted proxy, with HTTPS, so that all headers are present. */
const variables = {
  TEASEL_ENVIRONMENT: 'staging',
  TEASEL_API_URL: 'https://api.example.com',
  TEASEL_SIGN_IN_URL: 'https://id.example.com',
  TEASEL_WEB_URL: 'https://console.example.com',
  TEASEL_TRUSTED_PROXIES: '127.0.0.1',
}
const hostOf: Record<Name, string> = { api: 'api.example.com', 'sign-in': 'id.example.com', console: 'console.example.com' }
/** Short limits for tests; a body may be long if it is never silent for `silence`. */
const short: TimeLimits = { headers: 300, body: 300, silence: 2000, idle: 2000, interval: 50 }

let directory: string
let api: TestApi
let ines: Person
const opened: Hosts[] = []
let usual: Hosts
let strict: Hosts

const openHosts = async (deps: TestApi['deps'], { timeLimits, from }: { timeLimits?: TimeLimits; from: string }) => {
  const { config, log } = deps
  const hosts: Hosts = {
    api: buildApi({ ...deps, ...(timeLimits && { timeLimits }) }),
    'sign-in': buildSignIn({ ...deps, ...(timeLimits && { timeLimits }) }),
    console: buildConsole({ config, log, directory: from, ...(timeLimits && { timeLimits }) }),
  }
  opened.push(hosts)
  for (const name of names) await hosts[name].listen({ port: 0, host: '127.0.0.1' })
  return hosts
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'teasel-connections-'))
  await mkdir(join(directory, 'assets'))
  await writeFile(join(directory, 'index.html'), '<!doctype html><html><head></head><body></body></html>')
  await writeFile(join(directory, 'assets/large.js'), Buffer.alloc(32 * 1024 * 1024))
  api = await createTestApi(variables)
  ines = await api.person()
  usual = await openHosts(api.deps, { from: directory })
  strict = await openHosts(api.deps, { timeLimits: short, from: directory })
})
afterAll(async () => {
  for (const hosts of opened)
    for (const name of names) {
      hosts[name].server.closeAllConnections()
      await hosts[name].close()
    }
  await api.close()
  await rm(directory, { recursive: true, force: true })
})

let made = 0
const newProject = () => api.project({ ownerId: ines.id }, `Project ${++made}`)

const portOf = (app: FastifyInstance) => (app.server.address() as AddressInfo).port

const parse = (answer: string) => {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const [line = '', ...fields] = head.split('\r\n')
  const headers = new Map(
    fields.map((field) => [field.slice(0, field.indexOf(':')).toLowerCase(), field.slice(field.indexOf(':') + 2)]),
  )
  return { status: Number(/^HTTP\/1\.1 (\d{3})/.exec(line)?.[1] ?? 0), headers, body }
}
/** Whether the headers have arrived, and as many body bytes as they announce. */
const isWhole = (answer: string) => {
  const { headers, body } = parse(answer)
  return answer.includes('\r\n\r\n') && body.length >= Number(headers.get('content-length') ?? Number.POSITIVE_INFINITY)
}

const open = async (app: FastifyInstance): Promise<Socket> => {
  const socket = connect(portOf(app), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

/** The answer to `text`, as soon as it is complete or the connection has ended. */
const send = async (app: FastifyInstance, text: string) => {
  const socket = await open(app)
  let answer = ''
  const answered = new Promise<void>((resolve) => {
    socket.once('close', () => resolve())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      if (isWhole(answer)) resolve()
    })
  })
  socket.write(Buffer.from(text, 'latin1'))
  await answered
  socket.destroy()
  return parse(answer)
}

/** Headers that describe this answer and not the host. */
const own = new Set(
  'date connection keep-alive content-length content-type transfer-encoding x-request-id vary etag last-modified accept-ranges ratelimit-limit ratelimit-remaining ratelimit-reset'.split(
    ' ',
  ),
)
const securityOf = (headers: Map<string, string>) =>
  Object.fromEntries([...headers].filter(([name]) => !own.has(name)).toSorted())

const head = (name: Name, line: string, ...fields: string[]) =>
  [`${line} HTTP/1.1`, `Host: ${hostOf[name]}`, ...fields, '', ''].join('\r\n')
const chunked = 'Transfer-Encoding: chunked'
const form = 'Content-Type: application/x-www-form-urlencoded'
const session = () => `X-Session-Token: ${ines.token}`

type Case = [string, (name: Name) => string, number | Partial<Record<Name, number>>]
const refused: Case[] = [
  ['an address that does not exist', (name) => head(name, 'GET /assets/nowhere'), 404],
  ['a method that no route takes', (name) => head(name, 'DELETE /healthz'), 404],
  ['a method that nobody knows', (name) => head(name, 'PROPFIND /assets/x'), 404],
  ['an address that cannot be read', (name) => head(name, 'GET /%'), 400],
  [
    'a part of an address that is too long',
    (name) => head(name, `GET /${{ api: 'projects', 'sign-in': 'reset', console: 'assets' }[name]}/${'a'.repeat(3000)}`),
    { api: 400, 'sign-in': 400, console: 403 },
  ],
  ['another host', (name) => head(name, 'GET /').replace(hostOf[name], 'evil.example'), 421],
  ['HTTP/1.1 without a host', () => 'GET /healthz HTTP/1.1\r\n\r\n', 400],
  ['a line that is no request', () => 'nonsense\r\n\r\n', 400],
  ['another version of HTTP', (name) => head(name, 'GET /').replace('HTTP/1.1', 'HTTP/9.9'), 400],
  ['a header without a name', (name) => head(name, 'GET /', ': x'), 400],
  ['two lengths', (name) => head(name, 'POST /x', 'Content-Length: 1', 'Content-Length: 2'), 400],
  ['a length and chunks', (name) => head(name, 'POST /x', 'Content-Length: 1', chunked), 400],
  ['a chunk that is none', (name) => `${head(name, 'POST /signin', form, chunked, session())}zz\r\n`, 400],
  ['headers that are too large', (name) => head(name, 'GET /', `X: ${'y'.repeat(20_000)}`), 431],
  [
    'extensions of a chunk that are too large',
    (name) => `${head(name, 'POST /signin', form, chunked)}1;${'x'.repeat(20_000)}\r\n`,
    413,
  ],
  ['an expectation', (name) => head(name, 'GET /', 'Expect: 200-ok'), 417],
  [
    'a body that is too large',
    (name) =>
      `${head(name, name === 'api' ? 'POST /projects' : 'POST /signin', session(), form, 'Content-Length: 1100000')}${'x'.repeat(1_100_000)}`,
    { api: 413, 'sign-in': 400, console: 404 },
  ],
]
const cases = refused.flatMap(([what, text, status]) =>
  names.map((name) => [name, what, text, typeof status === 'number' ? status : status[name]] as const),
)

describe('T-22: a refusal carries all security headers that a page carries', () => {
  it.each(cases)('the %s host answers %s', async (name, _, text, status) => {
    const good = await send(usual[name], head(name, 'GET /healthz'))
    expect(good.status).toBe(200)
    expect(Object.keys(securityOf(good.headers)).length).toBeGreaterThanOrEqual(6)
    const bad = await send(usual[name], text(name))
    expect(bad.status).toBe(status)
    expect(securityOf(bad.headers)).toEqual(securityOf(good.headers))
    if (name !== 'console') expect(bad.headers.get('x-request-id')).toMatch(/^[0-9A-Z]{26}$/)
    if (name === 'api') expect(JSON.parse(bad.body).error.request_id).toBe(bad.headers.get('x-request-id'))
  })

  it.each(names)('the %s host answers 500', async (name) => {
    const broken = await mkdtemp(join(directory, 'empty-'))
    const clock = () => {
      throw new Error('the clock stands still')
    }
    const hosts = await openHosts({ ...api.deps, clock }, { from: broken })
    const good = await send(hosts[name], head(name, 'GET /healthz'))
    const path = { api: '/users/self', 'sign-in': '/reset/x', console: '/' }[name]
    const bad = await send(hosts[name], head(name, `GET ${path}`, session()))
    expect(bad.status).toBe(500)
    expect(securityOf(bad.headers)).toEqual(securityOf(good.headers))
  })

  it('the api host sends CORS headers when it cannot parse an address', async () => {
    const { status, headers } = await send(usual.api, head('api', 'GET /%', 'Origin: https://console.example.com'))
    expect([status, headers.get('access-control-allow-origin')]).toEqual([400, 'https://console.example.com'])
  })

  it('a refusal in the middle of an answer does not become part of it', async () => {
    const socket = await open(usual.console)
    let text = ''
    socket.setEncoding('latin1')
    socket.write(head('console', 'GET /assets/large.js', chunked))
    const [first] = (await once(socket, 'data')) as [string]
    expect(first).toMatch(/^HTTP\/1\.1 200/)
    socket.write('no chunk\r\n')
    socket.on('data', (chunk: string) => (text += chunk.replaceAll('\0', '')))
    await once(socket, 'close')
    expect(text).not.toContain('HTTP/1.1')
  })
})

/** All bytes until the server ends the connection. */
const untilEnd = async (socket: Socket) => {
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString('latin1')))
  if (!socket.closed) await once(socket, 'close')
  return parse(text)
}
const countOf = (app: FastifyInstance) =>
  new Promise<number>((resolve, reject) => app.server.getConnections((error, count) => (error ? reject(error) : resolve(count))))
const forwarded = 'X-Forwarded-For: 198.51.100.7'
const bodyPath: Record<Name, string> = { api: '/projects', 'sign-in': '/signin', console: '/x' }

describe('F-20: a connection that sends too slowly is closed', () => {
  it.each(names)('slow headers at the %s host, with an answer that carries its headers', async (name) => {
    const good = await send(strict[name], head(name, 'GET /healthz'))
    const socket = await open(strict[name])
    socket.write(`GET /healthz HTTP/1.1\r\nHost: ${hostOf[name]}\r\n${forwarded}\r\n`)
    const drip = setInterval(() => socket.writable && socket.write('X-A: b\r\n'), 40)
    const { status, headers } = await untilEnd(socket).finally(() => clearInterval(drip))
    expect(status).toBe(408)
    expect(securityOf(headers)).toEqual(securityOf(good.headers))
  })

  it.each(['api', 'sign-in'] as const)(
    'a slow small body at the %s host, with an answer that carries its headers',
    async (name) => {
      const good = await send(strict[name], head(name, 'GET /healthz'))
      const socket = await open(strict[name])
      const type = name === 'api' ? 'Content-Type: application/json' : form
      socket.write(head(name, `POST ${bodyPath[name]}`, session(), type, forwarded, 'Content-Length: 900'))
      const drip = setInterval(() => socket.writable && socket.write('x'), 40)
      const { status, headers } = await untilEnd(socket).finally(() => clearInterval(drip))
      expect(status).toBe(408)
      expect(securityOf(headers)).toEqual(securityOf(good.headers))
    },
  )

  it.runIf(isFull)(
    'with the limits of production, at every host: headers, a body and a silent connection',
    { timeout: within(200_000) },
    async () => {
      /** Sends a piece each second until the host ends the connection; how many, and the status of the answer. */
      const dripped = async (name: Name, start: string, piece: string) => {
        const socket = await open(usual[name])
        socket.write(start)
        let pieces = 0
        const drip = setInterval(() => {
          if (piece !== '' && socket.writable) socket.write(piece)
          pieces++
        }, 1000)
        const { status } = await untilEnd(socket).finally(() => clearInterval(drip))
        return { status, isSoon: pieces < 8, pieces }
      }
      const headers = (name: Name) =>
        dripped(name, `GET /healthz HTTP/1.1\r\nHost: ${hostOf[name]}\r\n${forwarded}\r\n`, 'X-A: b\r\n')
      const body = (name: Name) => {
        const type = name === 'api' ? 'Content-Type: application/json' : form
        return dripped(name, head(name, `POST ${bodyPath[name]}`, session(), type, forwarded, 'Content-Length: 900'), 'x')
      }
      const silent = async (name: Name) => dripped(name, head(name, 'GET /healthz', forwarded), '')
      const late = await Promise.all([...names.map(headers), ...(['api', 'sign-in'] as const).map(body)])
      expect(late.map(({ status, isSoon }) => [status, isSoon])).toEqual(late.map(() => [408, false]))
      for (const { status, pieces } of await Promise.all(names.map(silent))) {
        expect(status).toBe(200)
        expect(pieces).toBeGreaterThanOrEqual(60)
      }
    },
  )

  it('a body that no route reads, at every host', async () => {
    const cut = async (name: Name) => {
      const socket = await open(strict[name])
      socket.write(head(name, 'POST /nowhere', 'Content-Length: 900', forwarded))
      const drip = setInterval(() => socket.writable && socket.write('x'), 40)
      return (await untilEnd(socket).finally(() => clearInterval(drip))).status
    }
    for (const status of await Promise.all(names.map(cut))) expect([404, 408]).toContain(status)
  })

  it.each(names)('an idle connection of the %s host, without an answer', async (name) => {
    expect((await untilEnd(await open(strict[name]))).status).toBe(0)
  })

  it('an upload goes on while bytes come, and ends after the time without one', async () => {
    const project = await newProject()
    const { assetId } = await (await createReleaseFixture(api, ines, project)).draft({ version: 1, bytes: randomBytes(5000) })
    const location = String((await createUpload(api, ines, assetId, { size: 5000 })).headers.location)
    const fields = ['Tus-Resumable: 1.0.0', 'Content-Type: application/offset+octet-stream', 'Upload-Offset: 0', session()]
    const socket = await open(strict.api)
    socket.write(head('api', `PATCH ${location}`, ...fields, forwarded, 'Content-Length: 5000'))
    for (let n = 0; n < 12; n++) {
      socket.write(Buffer.alloc(100))
      await pause(60)
    }
    expect(socket.closed).toBe(false)
    await untilEnd(socket)
    await expect.poll(async () => (await offsetOf(api, ines, location)).headers['upload-offset']).toBe('1200')
  })

  it('a batch of a device goes on while bytes come, and ends after the time without one', async () => {
    const { token } = await createTestObjects(api.deps).device(await newProject())
    const paths = ['/device/v1/metrics', '/device/v1/logs', '/device/v1/update_events']
    const sendSlowly = async (path: string) => {
      const socket = await open(strict.api)
      const type = path.endsWith('logs') ? 'application/x-ndjson' : 'application/json'
      socket.write(head('api', `POST ${path}`, `Authorization: Bearer ${token}`, `Content-Type: ${type}`, 'Content-Length: 5000'))
      for (let n = 0; n < 12; n++) {
        socket.write(' ')
        await pause(60)
      }
      const isOpen = !socket.closed
      await untilEnd(socket)
      return isOpen
    }
    expect(await Promise.all(paths.map(sendSlowly))).toEqual([true, true, true])
  })

  /** Sends a request and never reads: resolves when the connection has ended before the answer was complete. */
  const ignore = async (app: FastifyInstance, text: string) => {
    const asked = once(app.server, 'request')
    const socket = await open(app)
    socket.pause()
    socket.write(text)
    const [request, response] = (await asked) as [IncomingMessage, ServerResponse]
    if (!request.socket.closed) await once(request.socket, 'close')
    socket.destroy()
    expect([response.headersSent, response.writableFinished]).toEqual([true, false])
  }
  it('an answer that is never read, of a file of the console', () =>
    ignore(strict.console, head('console', 'GET /assets/large.js', forwarded)))

  it('an answer that is never read, of an artifact', async () => {
    const project = await newProject()
    const bytes = Buffer.alloc(16 * 1024 * 1024)
    const { assetId, releaseId } = await (await createReleaseFixture(api, ines, project)).draft({ version: 1, bytes })
    await uploadFile(api, ines, assetId, bytes)
    const { url } = (await api.call(assetLink, { releaseId, assetId }, { as: ines })).body
    await ignore(strict.api, head('api', `GET ${new URL(url).pathname}${new URL(url).search}`, forwarded))
  })

  it('none of these is logged as a failure of the host', () => {
    const failures = api.lines.filter((line) => Number(JSON.parse(line).level) >= 50)
    expect(failures.filter((line) => !line.includes('the clock stands still') && !line.includes('/empty-'))).toEqual([])
  })
})

const COUNT = repetitions(150, 1000)

it.each(names)(`F-20: ${COUNT} stalled connections leave the other requests of the %s host served`, async (name) => {
  const app = usual[name]
  const stalled = [
    `GET /healthz HTTP/1.1\r\nHost: ${hostOf[name]}\r\n`,
    `${head(name, `POST ${bodyPath[name]}`, session(), form, 'Content-Length: 900')}x`,
    head(name, 'GET /healthz').repeat(3),
    '',
  ]
  const sockets: Socket[] = []
  for (let n = 0; n < COUNT; n++) {
    const socket = await open(app)
    socket.pause()
    socket.write(stalled[n % stalled.length] ?? '')
    sockets.push(socket)
  }
  expect(await countOf(app)).toBeGreaterThan(COUNT / 2)
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => send(app, head(name, name === 'api' ? 'GET /users/self' : 'GET /', session()))),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([name === 'sign-in' ? 303 : 200]))
  for (const socket of sockets) socket.destroy()
})

it.each(names)(`F-20: ${COUNT} stalled connections of the %s host are closed after the timeout`, async (name) => {
  const app = strict[name]
  for (let n = 0; n < COUNT; n++)
    (await open(app))
      .pause()
      .write(n % 2 === 0 ? 'GET / HTTP/1.1\r\n' : head(name, `POST ${bodyPath[name]}`, session(), form, 'Content-Length: 9'))
  await expect.poll(() => countOf(app), { timeout: within(20_000) }).toBe(0)
  expect((await send(app, head(name, 'GET /healthz'))).status).toBe(200)
})
