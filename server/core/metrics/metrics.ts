import type { FastifyInstance } from 'fastify'
import type { Pool } from 'pg'

/** Values by the one label of a gauge. */
export type Values = Readonly<Record<string, number>>

/** Gauges that are read from the database at each scrape: all by one read, so that they are of one moment. */
export type Reading<Name extends string = string> = {
  gauges: Readonly<Record<Name, { help: string; label: string }>>
  read: () => Promise<Readonly<Record<Name, Values>>>
}

type Request = { method: string; route: string; status: number; seconds: number; uploadedBytes: number }
type JobRun = { job: string; everyS: number; isDone: boolean; seconds: number; at: Date }
type Protocol = 'agent' | 'ddi'

/** What the process of a host measures for those who operate it. Absent unless TEASEL_METRICS_PORT is set. */
export type Metrics = {
  countRequest: (request: Request) => void
  /** A slot of a rollout was reserved for a device. */
  countOffer: (protocol: Protocol) => void
  countJobRun: (run: JobRun) => void
  /** Pools of the same name count together. */
  watchPool: (name: 'requests' | 'jobs', pool: Pool) => void
  watchDatabase: <Name extends string>(reading: Reading<Name>) => void
  toText: () => Promise<{ type: string; text: string }>
}

/** How many bytes a tus request has added: none if it was refused. */
const uploadedBytes = (before: string | string[] | undefined, after: unknown): number =>
  before === undefined || after === undefined ? 0 : Math.max(Number(after) - Number(before), 0) || 0

/** Measures every request by the template of its route; those without a route are one. */
export const measureRequests = (app: FastifyInstance, metrics: Metrics | undefined): void => {
  if (!metrics) return
  app.addHook('onResponse', (request, reply, done) => {
    metrics.countRequest({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      seconds: reply.elapsedTime / 1000,
      uploadedBytes: uploadedBytes(request.headers['upload-offset'], reply.raw.getHeader('upload-offset')),
    })
    done()
  })
}
