import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { assert, type Struct } from 'superstruct'
import {
  Attributes,
  CheckInBody,
  CommandBody,
  type DeviceEvent,
  EnrollBody,
  LogLine,
  type MetricPoint,
  MetricsBody,
  UpdateEventsBody,
} from '../../contract/device/api'
import { isEnrollmentProof } from '../../contract/device/enrollment-proof'
import { newId, project, type Release } from './releases'

const token = (kind: string) => `${kind}_${newId()}${newId()}`.slice(0, 53)

type Cut = { after: number }

const bodyOf = async (request: IncomingMessage) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}
const parsed = async <T, S>(request: IncomingMessage, struct: Struct<T, S>): Promise<T> => {
  const value: unknown = JSON.parse(await bodyOf(request))
  assert(value, struct)
  return value
}

/** A device API for tests: real HTTP, real bytes, every body checked against the contract, faults on request. */
export const deviceServer = async () => {
  const enrollmentToken = token('enr')
  const devices = new Map<string, { id: string; serial: string; publicKey: string | undefined; provedMs: number }>()
  const seen = {
    events: [] as DeviceEvent[],
    checkIns: [] as CheckInBody[],
    enrollments: [] as EnrollBody[],
    logs: [] as LogLine[],
    metrics: [] as MetricPoint[],
    attributes: [] as Attributes[],
    commands: [] as { id: string; body: CommandBody }[],
    /** The token of each check-in. */
    tokens: [] as string[],
    ranges: [] as (string | undefined)[],
    problems: [] as string[],
    /** When calls were refused by plan, in milliseconds. */
    refusedAt: [] as number[],
    updates: 0,
  }
  const plan = {
    offer: null as Release | null,
    /** Bytes to answer instead of the release's envelope. */
    envelope: undefined as unknown,
    /** Answers `GET /update` in another way; called once. */
    answerUpdate: null as ((response: ServerResponse, offer: Release) => void) | null,
    abort: false,
    cuts: [] as Cut[],
    spoil: null as ((bytes: Buffer) => Buffer) | null,
    ignoreRange: false,
    assetDelayMs: 0,
    /** The code `page`: the page of a network between, which is no answer of the server. */
    refuse: null as { path: RegExp; status: number; code: string; retryAfter?: string } | null,
    date: null as Date | null,
    timeMs: null as number | null,
    commands: [] as { id: string; command: string; args: Record<string, string> }[],
    /** Key lists, oldest first: a device gets the first one above its counter. */
    keyLists: [] as { counter: number; envelope: unknown }[],
    /** Called when a new token was created, before it is sent. */
    beforeToken: () => {},
    pollIntervalS: 1,
  }
  const watchers = new Set<() => void>()
  const changed = () => watchers.forEach((look) => look())

  const json = (response: ServerResponse, status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json', ...(plan.date ? { date: plan.date.toUTCString() } : {}) })
    response.end(JSON.stringify(body))
  }
  const refuse = (response: ServerResponse, status: number, code: string) =>
    json(response, status, { error: { code, message: `Refused: ${code}`, details: [], request_id: 'test' } })

  const enroll = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.headers.authorization !== `Bearer ${enrollmentToken}`) return refuse(response, 403, 'token_expired')
    const body = await parsed(request, EnrollBody)
    const former = [...devices.entries()].find(([, { serial }]) => serial === body.serial_number)
    if (former) {
      const proved =
        body.proof &&
        former[1].publicKey !== undefined &&
        body.proof.issued_ms > former[1].provedMs &&
        (await isEnrollmentProof(former[1].publicKey, body.serial_number, body.proof))
      if (!proved) return refuse(response, 409, 'serial_exists')
      devices.delete(former[0])
    }
    seen.enrollments.push(body)
    const device_token = token('dvc')
    const device = {
      id: former?.[1].id ?? newId(),
      serial: body.serial_number,
      publicKey: body.public_key,
      provedMs: body.proof?.issued_ms ?? 0,
    }
    devices.set(device_token, device)
    json(response, former ? 200 : 201, {
      device_id: device.id,
      device_token,
      project_id: project,
      lifecycle: 'active',
      polling_interval_s: plan.pollIntervalS,
    })
  }

  const asset = async (id: string, request: IncomingMessage, response: ServerResponse) => {
    const found = plan.offer?.assets.find((one) => one.id === id)
    if (!found) return refuse(response, 404, 'not_found')
    seen.ranges.push(request.headers.range)
    const bytes = plan.spoil ? plan.spoil(found.bytes) : found.bytes
    const from = plan.ignoreRange ? 0 : Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const rest = bytes.subarray(from)
    const headers = { etag: `"sha256-${found.sha256}"`, 'content-length': rest.length }
    if (from > 0) response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` })
    else response.writeHead(200, headers)
    const cut = plan.cuts.shift()
    if (cut) {
      const part = rest.subarray(0, Math.max(0, cut.after))
      // The headers must be sent before the connection is cut, or nothing arrives.
      if (part.length === 0) response.flushHeaders()
      else await new Promise((resolve) => response.write(part, resolve))
      setImmediate(() => response.destroy())
      return
    }
    if (plan.assetDelayMs === 0) return void response.end(rest)
    for (let at = 0; at < rest.length && !response.destroyed; at += 4096) {
      response.write(rest.subarray(at, at + 4096))
      await new Promise((resolve) => setTimeout(resolve, plan.assetDelayMs))
    }
    response.end()
  }

  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '', 'http://x').pathname
    if (plan.refuse?.path.test(path)) {
      seen.refusedAt.push(performance.now())
      if (plan.refuse.code === 'page')
        return void response.writeHead(plan.refuse.status, { 'content-type': 'text/html' }).end('<h1>Sign in to the network</h1>')
      if (plan.refuse.retryAfter !== undefined) response.setHeader('retry-after', plan.refuse.retryAfter)
      return refuse(response, plan.refuse.status, plan.refuse.code)
    }
    if (path === '/device/v1/enroll') return enroll(request, response)
    const given = request.headers.authorization?.replace('Bearer ', '') ?? ''
    const device = devices.get(given)
    if (!device) return refuse(response, 401, 'unauthenticated')
    if (path.startsWith('/device/v1/assets/')) return asset(path.split('/').at(-1) ?? '', request, response)
    switch (`${request.method} ${path}`) {
      case 'POST /device/v1/check_in': {
        const body = await parsed(request, CheckInBody)
        seen.checkIns.push(body)
        seen.tokens.push(given)
        const commands = plan.commands.splice(0)
        const answer = {
          commands,
          want_attributes: false,
          log_level: 'debug',
          update_available: plan.offer !== null || plan.envelope !== undefined,
          key_list_available: plan.keyLists.some(({ counter }) => counter > (body.key_list_counter ?? 0)),
        }
        return json(response, 200, {
          ...answer,
          polling_interval_s: plan.pollIntervalS,
          server_time_ms: plan.timeMs ?? Date.now(),
        })
      }
      case 'GET /device/v1/key_list': {
        const held = Number(new URL(request.url ?? '', 'http://x').searchParams.get('counter'))
        const list = plan.keyLists.find(({ counter }) => counter > held)
        if (!list) return void response.writeHead(204).end()
        return json(response, 200, list.envelope)
      }
      case 'POST /device/v1/token/rotate': {
        const device_token = token('dvc')
        devices.set(device_token, device)
        plan.beforeToken()
        return json(response, 200, { device_token })
      }
      case 'GET /device/v1/update': {
        seen.updates++
        const installed = Number(new URL(request.url ?? '', 'http://x').searchParams.get('version') ?? 0)
        if (plan.envelope !== undefined) {
          response.writeHead(200, { 'content-type': 'application/json', 'x-rollout-id': newId() })
          return void response.end(JSON.stringify(plan.envelope))
        }
        if (!plan.offer || plan.offer.manifest.version === installed) {
          response.writeHead(204, { 'x-reason': 'up_to_date', 'x-poll-interval': String(plan.pollIntervalS) })
          return void response.end()
        }
        const { answerUpdate } = plan
        plan.answerUpdate = null
        if (answerUpdate) return answerUpdate(response, plan.offer)
        response.writeHead(200, { 'content-type': 'application/json', 'x-rollout-id': plan.offer.rolloutId })
        return void response.end(JSON.stringify(plan.offer.envelope))
      }
      case 'POST /device/v1/update_events': {
        const { events } = await parsed(request, UpdateEventsBody)
        const fresh = events.filter(({ event_id }) => !seen.events.some((event) => event.event_id === event_id))
        seen.events.push(...fresh)
        return json(response, 200, {
          accepted: fresh.length,
          duplicates: events.length - fresh.length,
          rejected: [],
          abort: plan.abort,
        })
      }
      case 'PUT /device/v1/attributes':
        seen.attributes.push(await parsed(request, Attributes))
        return void response.writeHead(204).end()
      case 'POST /device/v1/metrics': {
        const body = await parsed(request, MetricsBody)
        if ('points' in body) seen.metrics.push(...body.points)
        return json(response, 202, { accepted: 1, dropped: 0, reasons: {} })
      }
      case 'POST /device/v1/logs': {
        const lines = (await bodyOf(request))
          .trimEnd()
          .split('\n')
          .map((line): unknown => JSON.parse(line))
        for (const line of lines) {
          assert(line, LogLine)
          seen.logs.push(line)
        }
        return json(response, 202, { accepted: lines.length, dropped: 0, next_allowed_ms: 0 })
      }
    }
    const command = /^\/device\/v1\/commands\/(\w+)$/.exec(path)?.[1]
    if (command === undefined) return refuse(response, 404, 'not_found')
    seen.commands.push({ id: command, body: await parsed(request, CommandBody) })
    response.writeHead(204).end()
  }

  const server = createServer((request, response) => {
    handle(request, response)
      .catch((error: unknown) => {
        // Its agent was killed.
        if (!request.complete) return
        seen.problems.push(`${request.method} ${request.url}: ${String(error)}`)
        if (!response.headersSent) refuse(response, 422, 'invalid')
      })
      .finally(changed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo

  return {
    url: `http://127.0.0.1:${port}`,
    enrollmentToken,
    devices,
    seen,
    plan,
    types: () => seen.events.toSorted((one, other) => one.sequence - other.sequence).map(({ type }) => type),
    /** Resolves as soon as the recorded calls meet the condition. */
    until: (condition: () => boolean): Promise<void> =>
      new Promise((resolve) => {
        const look = () => {
          if (!condition()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
    /** Ends all connections: what an agent sent before it was killed is not answered later, when the plan has changed. */
    hangUp: () => server.closeAllConnections(),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
export type DeviceServer = Awaited<ReturnType<typeof deviceServer>>
