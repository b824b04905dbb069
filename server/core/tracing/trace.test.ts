import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import fastify from 'fastify'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createLog } from '../log'
import { openSpans } from './export-spans'
import { continueTrace, passTracesOn, runInTrace, traceRequests, type Spans } from './trace'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'
const header = `00-${traceId}-${parentId}-01`

describe('W3C Trace Context', () => {
  it('continues a trace, sampled as its caller says', () => {
    expect(continueTrace(header)).toMatchObject({ traceId, parentId, isSampled: true })
    expect(continueTrace(`00-${traceId}-${parentId}-00`)?.isSampled).toBe(false)
    // Later versions may add fields and flags.
    expect(continueTrace(`01-${traceId}-${parentId}-03-more`)).toMatchObject({ traceId, isSampled: true })
  })

  it.each([
    undefined,
    '',
    [header, header],
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${traceId}x-${parentId}-01`,
  ])('ignores the header %s', (value) => {
    expect(continueTrace(value)).toBeUndefined()
  })
})

type Received = { url: string | undefined; headers: IncomingMessage['headers']; body: unknown }
let receiver: Server
let received: Received[]
let status: number
let base: string
beforeAll(async () => {
  passTracesOn()
  receiver = createServer((request, response) => {
    void json(request)
      .catch(() => undefined)
      .then((body) => {
        received.push({ url: request.url, headers: request.headers, body })
        response.writeHead(status).end()
      })
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
})
beforeEach(() => {
  received = []
  status = 200
})
afterAll(async () => {
  receiver.close()
  receiver.closeAllConnections()
  await once(receiver, 'close')
})

const lines: string[] = []
const log = createLog('info', { write: (line: string) => void lines.push(line) })
const logged = () => lines.map((line) => JSON.parse(line) as { msg?: string; trace_id?: string; span_id?: string })

const host = (spans?: Spans) => {
  const app = fastify()
  traceRequests(app, spans)
  app.addHook('onResponse', async () => log.info('ended'))
  app.route({
    method: 'POST',
    url: '/items/:id',
    handler: async (request) => {
      await pause(1)
      log.info('working')
      await fetch(`${base}/elsewhere`)
      return request.body
    },
  })
  app.get('/broken', async () => Promise.reject(new Error('broken')))
  return app
}
const post = (app: ReturnType<typeof host>, headers: Record<string, string> = {}) =>
  app.inject({ method: 'POST', url: '/items/7', payload: { large: 'x'.repeat(100_000) }, headers })

describe('a request with a traceparent header', () => {
  it('has its trace in its log lines and in what it sends to others', async () => {
    lines.length = 0
    const app = host()
    const base = await app.listen({ port: 0, host: '127.0.0.1' })
    const body = JSON.stringify({ large: 'x'.repeat(1_000_000) })
    const headers = { traceparent: header, 'content-type': 'application/json' }
    expect((await fetch(`${base}/items/7`, { method: 'POST', headers, body })).status).toBe(200)
    await app.close()
    expect(logged().map(({ msg, trace_id }) => [msg, trace_id])).toEqual([
      ['working', traceId],
      ['ended', traceId],
    ])
    const [, sentTrace, sentSpan] = String(received[0]?.headers.traceparent).split('-')
    expect([sentTrace, sentSpan]).toEqual([traceId, logged()[0]?.span_id])
    expect(sentSpan).not.toBe(parentId)
  })

  it('is the only one with a trace while traces are not exported', async () => {
    lines.length = 0
    const app = host()
    await Promise.all([post(app), post(app, { traceparent: 'nonsense' })])
    await app.close()
    expect(logged().filter(({ trace_id }) => trace_id !== undefined)).toEqual([])
    expect(received.map(({ headers }) => headers.traceparent)).toEqual([undefined, undefined])
  })
})

type Exported = {
  resourceSpans: {
    resource: { attributes: unknown[] }
    scopeSpans: { spans: Record<string, unknown>[] }[]
  }[]
}
const exported = () =>
  received
    .filter(({ url }) => url === '/v1/traces')
    .flatMap(({ body }) => (body as Exported).resourceSpans)
    .flatMap(({ scopeSpans }) => scopeSpans)
    .flatMap(({ spans }) => spans)

describe('exported traces', () => {
  it('reach a collector as OTLP in JSON: requests with template and status, and jobs', async () => {
    const spans = openSpans({ endpoint: `${base}/`, ratio: 1, service: 'teasel-api', log })
    const app = host(spans)
    const began = Date.now()
    await post(app, { traceparent: header })
    await app.inject('/broken')
    await app.inject('/nowhere/7')
    await expect(runInTrace(spans, 'job rollouts', async () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await runInTrace(spans, 'job counts', async () => 5)).toBe(5)
    await app.close()
    await spans.close()
    const sent = received.find(({ url }) => url === '/v1/traces')
    expect(sent?.headers['content-type']).toBe('application/json')
    expect((sent?.body as Exported | undefined)?.resourceSpans[0]?.resource.attributes).toEqual([
      { key: 'service.name', value: { stringValue: 'teasel-api' } },
    ])
    const [first, ...others] = exported()
    expect(first).toMatchObject({ traceId, parentSpanId: parentId, name: 'POST /items/:id', kind: 2 })
    expect(first?.attributes).toEqual([
      { key: 'http.request.method', value: { stringValue: 'POST' } },
      { key: 'http.route', value: { stringValue: '/items/:id' } },
      { key: 'http.response.status_code', value: { intValue: '200' } },
    ])
    const [start, end] = [first?.startTimeUnixNano, first?.endTimeUnixNano].map((nano) =>
      Number(BigInt(String(nano)) / 1_000_000n),
    )
    expect(start).toBeGreaterThanOrEqual(began - 2)
    expect(end).toBeGreaterThanOrEqual(start ?? 0)
    expect(others.map(({ name, kind, status: ended }) => [name, kind, ended])).toEqual([
      ['GET /broken', 2, { code: 2 }],
      ['GET', 2, undefined],
      ['job rollouts', 1, { code: 2 }],
      ['job counts', 1, undefined],
    ])
    for (const span of exported()) expect([span.traceId, span.spanId].join()).toMatch(/^[0-9a-f]{32},[0-9a-f]{16}$/)
  })

  it('contain only what the caller, or the configured part of new traces, has sampled', async () => {
    const spans = openSpans({ endpoint: base, ratio: 0, service: 'teasel-api', log })
    const app = host(spans)
    await post(app)
    await post(app, { traceparent: header.replace(/01$/, '00') })
    await post(app, { traceparent: header })
    await app.close()
    await spans.close()
    expect(exported().map(({ parentSpanId }) => parentSpanId)).toEqual([parentId])
  })

  it('are dropped, with one line in the log, while no collector answers', async () => {
    lines.length = 0
    status = 503
    const spans = openSpans({ endpoint: base, ratio: 1, service: 'teasel-api', log })
    for (const _ of [1, 2]) {
      await runInTrace(spans, 'job counts', async () => {})
      await spans.close()
    }
    status = 200
    await spans.close()
    expect(logged().map(({ msg }) => msg)).toEqual(['traces could not be sent and are dropped'])
    expect(exported()).toHaveLength(2)
  })
})
