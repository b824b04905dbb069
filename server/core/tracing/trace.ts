import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { subscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'

/** One unit of work in a trace. Ids are in hex, as in W3C Trace Context. */
export type Trace = { traceId: string; spanId: string; parentId: string | undefined; isSampled: boolean }

/** Work that has ended. */
export type Span = Trace & {
  name: string
  kind: 'server' | 'internal'
  startMs: number
  endMs: number
  failed: boolean
  attributes: Readonly<Record<string, string | number>>
}

/** Where spans are sent (`export-spans.ts`). */
export type Spans = {
  begin: () => Trace
  /** Keeps a span of a sampled trace until it is sent. */
  add: (span: Span) => void
  close: () => Promise<void>
}

declare module 'fastify' {
  interface FastifyRequest {
    trace: Trace | undefined
  }
}

// Until the first use, it costs nothing: Node follows promises only from then on.
const running = new AsyncLocalStorage<Trace>()

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const isZero = (id: string) => /^0+$/.test(id)
const newSpanId = () => randomBytes(8).toString('hex')

/** A part of the trace that a `traceparent` header names; undefined without a valid one. W3C Trace Context, 3.2.2. */
export const continueTrace = (header: string | string[] | undefined): Trace | undefined => {
  const [, version, traceId = '', parentId = '', flags = '', more] = form.exec(typeof header === 'string' ? header : '') ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined
  if (isZero(traceId) || isZero(parentId)) return undefined
  return { traceId, spanId: newSpanId(), parentId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** A trace that begins here; `ratio` of them are sampled. */
export const beginTrace = (ratio: number): Trace => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: newSpanId(),
  parentId: undefined,
  isSampled: Math.random() < ratio,
})

/** The header for requests that this work sends; undefined outside of a trace. */
const traceparent = (): string | undefined => {
  const trace = running.getStore()
  return trace && `00-${trace.traceId}-${trace.spanId}-${trace.isSampled ? '01' : '00'}`
}

/** The fields of log lines that are written during this work. */
export const traceFields = (): { trace_id?: string; span_id?: string } => {
  const trace = running.getStore()
  return trace ? { trace_id: trace.traceId, span_id: trace.spanId } : {}
}

/** Runs work in a trace of its own, if traces are exported. */
export const runInTrace = async <T>(spans: Spans | undefined, name: string, work: () => Promise<T>): Promise<T> => {
  if (!spans) return work()
  const trace = spans.begin()
  const startMs = Date.now()
  const add = (failed: boolean) =>
    spans.add({ ...trace, name, kind: 'internal', startMs, endMs: Date.now(), failed, attributes: {} })
  try {
    const value = await running.run(trace, work)
    add(false)
    return value
  } catch (error) {
    add(true)
    throw error
  }
}

/**
 * Runs each request that has a `traceparent` header in its trace, and every request where traces are exported. The bytes of a body arrive
 * in the context of their connection, and an answer ends there, so the context is entered again after both.
 */
export const traceRequests = (app: FastifyInstance, spans: Spans | undefined): void => {
  app.decorateRequest('trace', undefined)
  app.addHook('onRequest', (request, _reply, done) => {
    request.trace = continueTrace(request.headers.traceparent) ?? spans?.begin()
    if (request.trace) running.run(request.trace, done)
    else done()
  })
  app.addHook('preValidation', (request, _reply, done) => (request.trace ? running.run(request.trace, done) : done()))
  app.addHook('onResponse', (request, _reply, done) => (request.trace ? running.run(request.trace, done) : done()))
  if (!spans) return
  app.addHook('onResponse', (request, reply, done) => {
    const { trace, method } = request
    const route = request.routeOptions.url
    const endMs = Date.now()
    if (trace)
      spans.add({
        ...trace,
        name: route === undefined ? method : `${method} ${route}`,
        kind: 'server',
        startMs: endMs - reply.elapsedTime,
        endMs,
        failed: reply.statusCode >= 500,
        attributes: {
          'http.request.method': method,
          ...(route !== undefined && { 'http.route': route }),
          'http.response.status_code': reply.statusCode,
        },
      })
    done()
  })
}

type Outgoing = { request: { addHeader: (name: string, value: string) => unknown } }

const isOutgoing = (message: unknown): message is Outgoing =>
  typeof message === 'object' && message !== null && 'request' in message

/** From now on every `fetch` of this process passes its trace on. */
export const passTracesOn = (): void =>
  subscribe('undici:request:create', (message) => {
    const header = traceparent()
    if (header !== undefined && isOutgoing(message)) message.request.addHeader('traceparent', header)
  })
