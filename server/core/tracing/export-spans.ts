import type { Logger } from '../log'
import { beginTrace, type Span, type Spans } from './trace'

const batch = 512
// While the collector does not answer, later spans are dropped.
const most = 4096
const intervalMs = 5000
const timeoutMs = 5000
const kinds = { internal: 1, server: 2 } as const
const failedStatus = { code: 2 }

const toNano = (ms: number) => String(BigInt(Math.round(ms * 1000)) * 1000n)
const toValue = (value: string | number) => (typeof value === 'number' ? { intValue: String(value) } : { stringValue: value })
const toAttributes = (values: Span['attributes']) =>
  Object.entries(values).map(([key, value]) => ({ key, value: toValue(value) }))

/** OTLP/HTTP as JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding. */
const toRequest = (service: string, spans: readonly Span[]) => ({
  resourceSpans: [
    {
      resource: { attributes: toAttributes({ 'service.name': service }) },
      scopeSpans: [
        {
          scope: { name: 'teasel' },
          spans: spans.map(({ traceId, spanId, parentId, name, kind, startMs, endMs, failed, attributes }) => ({
            traceId,
            spanId,
            ...(parentId !== undefined && { parentSpanId: parentId }),
            name,
            kind: kinds[kind],
            startTimeUnixNano: toNano(startMs),
            endTimeUnixNano: toNano(endMs),
            attributes: toAttributes(attributes),
            ...(failed && { status: failedStatus }),
          })),
        },
      ],
    },
  ],
})

type To = { endpoint: string; ratio: number; service: string; log: Logger }

/** Sends spans to a collector (OTLP/HTTP), some seconds later. */
export const openSpans = ({ endpoint, ratio, service, log }: To): Spans => {
  const url = `${endpoint.replace(/\/$/, '')}/v1/traces`
  let waiting: Span[] = []
  let sending: Promise<void> | undefined
  let isFailing = false
  const send = async () => {
    while (waiting.length > 0) {
      const spans = waiting.slice(0, batch)
      waiting = waiting.slice(batch)
      const body = JSON.stringify(toRequest(service, spans))
      const headers = { 'Content-Type': 'application/json' }
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(timeoutMs) })
      await answer.body?.cancel()
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`)
      isFailing = false
    }
  }
  const report = (error: unknown) => {
    if (!isFailing) log.warn({ err: error, url }, 'traces could not be sent and are dropped')
    isFailing = true
  }
  const flush = () =>
    (sending ??= send()
      .catch(report)
      .finally(() => (sending = undefined)))
  const timer = setInterval(() => void flush(), intervalMs).unref()
  return {
    begin: () => beginTrace(ratio),
    add: (span) => {
      if (span.isSampled && waiting.length < most) waiting.push(span)
    },
    close: async () => {
      clearInterval(timer)
      await flush()
      // Spans that were added while others were being sent.
      await flush()
    },
  }
}
