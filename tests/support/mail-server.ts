import { createServer, type Socket } from 'node:net'
import type { AddressInfo } from 'node:net'

/** A mail server on a free port, with the parts of SMTP (RFC 5321) that are needed: it accepts every mail, or is closed. */
export const startMailServer = async () => {
  const mails: string[] = []
  let closed = false
  const sockets = new Set<Socket>()
  const serve = (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    const answer = (line: string) => socket.write(`${line}\r\n`)
    if (closed) return void socket.end('421 closed\r\n')
    answer('220 mail')
    let data: string[] | undefined
    let rest = ''
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines)
        if (data) {
          if (line !== '.') data.push(line)
          else {
            mails.push(data.join('\n'))
            data = undefined
            answer('250 taken')
          }
        } else if (line === 'DATA') {
          data = []
          answer('354 go on')
        } else if (line === 'QUIT') socket.end('221 bye\r\n')
        else answer('250 mail')
    })
  }
  const server = createServer(serve)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${port}/?ignoreTLS=true`,
    /** Every accepted mail, with its headers. */
    mails,
    close: (to: 'all' | 'none') => void (closed = to === 'all'),
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
