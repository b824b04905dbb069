import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'

export type Captured = { event: string; properties: Record<string, unknown> }

const isEvent = (value: unknown): value is Captured => typeof value === 'object' && value !== null && 'event' in value

// A page that is left sends its last events as a form, in base 64.
const plain = (body: string) =>
  body.startsWith('data=') ? Buffer.from(new URLSearchParams(body).get('data') ?? '', 'base64').toString() : body

const eventsOf = (body: string): Captured[] => {
  const read: unknown = JSON.parse(body)
  const batch = typeof read === 'object' && read !== null && 'batch' in read ? read.batch : read
  return (Array.isArray(batch) ? batch : [batch]).filter(isEvent)
}

/** Replaces an analytics host: accepts and records everything. */
export const startCapture = async () => {
  const requests: { url: string; body: string }[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ url: request.url ?? '', body: plain(body) })
      response.writeHead(200, { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }).end('{"status":1}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    /** URLs and decoded bodies. */
    requests,
    events: () => requests.flatMap(({ body }) => (body === '' ? [] : eventsOf(body))),
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
