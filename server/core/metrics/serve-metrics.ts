import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Logger } from '../log'
import { isLoopback, loopbackHosts } from '../loopback'
import type { Metrics } from './metrics'

type At = { port: number; bind: string }

const hostnameOf = (host: string | undefined) => (URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : '')

/** Serves `/metrics` on a listener of its own, which no proxy in front of the hosts reaches. Returns its end. */
export const serveMetrics = async (metrics: Metrics, { port, bind }: At, log: Logger): Promise<() => Promise<void>> => {
  const server = createServer((request, response) => {
    // A page in a browser on this machine must not read it under a name of its own (T-14).
    if (isLoopback(bind) && !loopbackHosts.includes(hostnameOf(request.headers.host))) {
      response.writeHead(421).end()
      return
    }
    if (request.url !== '/metrics' || request.method !== 'GET') {
      response.writeHead(404).end()
      return
    }
    metrics.toText().then(
      ({ type, text }) => response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(text),
      (error: unknown) => {
        log.error(error, 'the metrics could not be written')
        response.writeHead(500).end()
      },
    )
  })
  server.listen(port, bind)
  await once(server, 'listening')
  return async () => {
    server.close()
    server.closeAllConnections()
  }
}
