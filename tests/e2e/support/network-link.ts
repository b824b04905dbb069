import { createServer, request, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export type NetworkLink = {
  /** The origin that a device uses in place of the server's. */
  url: string
  /** Breaks every connection from the answer to the next request with this text in its body. */
  cutAfter: (text: string) => void
  restore: () => void
  isCut: () => boolean
  close: () => Promise<void>
}

/** The network of one device: forwards HTTP to the API host, and can be cut. */
export const openNetworkLink = async (api: string): Promise<NetworkLink> => {
  const target = new URL(api)
  const sockets = new Set<Socket>()
  let last: string | null = null
  let cut = false
  const server: Server = createServer((incoming, outgoing) => {
    if (cut) return void incoming.socket.destroy()
    const { method, url: path, headers } = incoming
    let body = ''
    incoming.on('data', (chunk: Buffer) => (body += chunk.toString()))
    const own = { ...headers, host: target.host }
    const passed = request({ host: target.hostname, port: target.port, method, path, headers: own }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      outgoing.once('finish', () => {
        if (last !== null && body.includes(last)) cut = true
      })
    })
    passed.on('error', () => incoming.socket.destroy())
    incoming.pipe(passed)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cutAfter: (text) => (last = text),
    restore: () => {
      cut = false
      last = null
    },
    isCut: () => cut,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
