import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, request as ask, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync, gzipSync } from 'node:zlib'

/** An answer of the service to a request line; its body is compressed, in base64. */
export type Answer = { request: string; status: number; headers: Record<string, string>; body: string }

const kept = ['content-type', 'content-range', 'etag', 'last-modified', 'content-length']

const listening = async (server: Server) => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { endpoint: `http://127.0.0.1:${port}`, close }
}

const headersOf = (headers: IncomingHttpHeaders) =>
  Object.fromEntries(kept.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]])))

/** Passes requests to a service and records its answers. */
export const recordAnswers = async (service: string, answers: Answer[]) => {
  const { hostname, port } = new URL(service)
  return listening(
    createServer(async (request, response) => {
      const { method = '', url = '', headers } = request
      // Swift sends a body after the end of some answers without one: each request has its own connection.
      const sending = ask({ hostname, port, method, path: url, headers, agent: false }).end(await buffer(request))
      sending.on('error', () => response.destroy())
      const [answer] = await once(sending, 'response')
      const body = await buffer(answer)
      const status = answer.statusCode
      answers.push({
        request: `${method} ${url}`,
        status,
        headers: headersOf(answer.headers),
        body: gzipSync(body).toString('base64'),
      })
      response.writeHead(status, headersOf(answer.headers)).end(body)
    }),
  )
}

/** Answers each request with the next recorded answer to the same request line. */
export const replayAnswers = async (answers: readonly Answer[]) => {
  const left = [...answers]
  return listening(
    createServer(async (request, response) => {
      await buffer(request)
      const line = `${request.method} ${request.url}`
      const at = left.findIndex((one) => one.request === line)
      const [answer] = at < 0 ? [] : left.splice(at, 1)
      if (!answer) response.writeHead(400).end(`no answer was recorded for ${line}`)
      else response.writeHead(answer.status, answer.headers).end(gunzipSync(Buffer.from(answer.body, 'base64')))
    }),
  )
}
