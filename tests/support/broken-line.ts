import { createServer, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Transform } from 'node:stream'

/**
 * A line to the API host that breaks every PATCH after so many bytes of its body. What was sent until then arrives; `isDown` breaks
 * every request; `diesAtBreak` sets it at the next break.
 */
export const openBrokenLine = async (api: string, breaksAfter: number, diesAtBreak = false) => {
  const target = new URL(api)
  const sockets = new Set<Socket>()
  const line = { breaks: 0, isDown: false }
  const server = createServer((incoming, outgoing) => {
    if (line.isDown) return void incoming.socket.destroy()
    const { method, url: path, headers } = incoming
    const passed = request(
      { host: target.hostname, port: target.port, method, path, headers: { ...headers, host: target.host } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    passed.on('error', () => incoming.socket.destroy())
    let left = breaksAfter
    const counted = new Transform({
      transform: (chunk: Buffer, _, done) => {
        const piece = chunk.subarray(0, left)
        left -= piece.length
        if (piece.length === chunk.length || method !== 'PATCH') return done(null, chunk)
        line.breaks++
        line.isDown = diesAtBreak
        // The last bytes reach the server before both connections break.
        passed.write(piece, () => {
          incoming.socket.destroy()
          passed.destroy()
        })
      },
    })
    incoming.pipe(counted).pipe(passed)
  })
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return Object.assign(line, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  })
}
