import { createServer, type IncomingHttpHeaders, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

type Received = {
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** `webhook-id`. */
  id: string
  event: { type: string; timestamp: string; data: never }
}

/** Verifies as a receiver does, by a kept package; throws if the signature is wrong or the time more than five minutes away. */
export const verifyReceived = ({ body, headers }: Received, secret: string): unknown =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

/** Whether a signature of the request is of this secret, whatever the time is by now. */
export const isSignedBy = ({ body, headers, id }: Received, secret: string): boolean => {
  const time = new Date(Number(headers['webhook-timestamp']) * 1000)
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(id, time, body))
}

/** What it answers to one request; a hanging receiver does nothing. */
type Answer = (response: ServerResponse, received: Received) => void

export const answerWith =
  (status: number, text = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(status, headers).end(text)

export const hang: Answer = () => {}

/** A receiver of webhooks on this machine. It answers 204 until told otherwise. */
export const openReceiver = async ({ tls, port = 0 }: { tls?: ServerOptions; port?: number } = {}) => {
  const received: Received[] = []
  let answer: Answer = answerWith(204)
  let connections = 0
  const listen: RequestListener = (request, response) => {
    void buffer(request).then((bytes) => {
      const body = bytes.toString()
      const id = String(request.headers['webhook-id'])
      const one = { path: request.url ?? '', headers: request.headers, body, id, event: JSON.parse(body) as Received['event'] }
      received.push(one)
      answer(response, one)
    })
  }
  const server = tls ? createTlsServer(tls, listen) : createServer(listen)
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: taken } = server.address() as AddressInfo
  return {
    url: `${tls ? 'https' : 'http'}://localhost:${taken}/teasel`,
    port: taken,
    received,
    connections: () => connections,
    answers: (next: Answer) => void (answer = next),
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type Receiver = Awaited<ReturnType<typeof openReceiver>>
