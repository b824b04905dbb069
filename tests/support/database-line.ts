import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

type Line = {
  /** Whether a message to the database waits until `release`. */
  isHeld: (sent: Buffer) => boolean
  /** Whether the database still gets a message, and its sender never an answer. */
  isMute: (sent: Buffer) => boolean
}

/** A line to a database that keeps messages or answers back, as a network does whose one end is killed at that moment. */
export const openDatabaseLine = async (url: string, { isHeld, isMute }: Line) => {
  const target = new URL(url)
  const sockets = new Set<Socket>()
  const held: (() => void)[] = []
  let answered = ''
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    let isSilent = false
    let asked = ''
    near.on('data', (sent: Buffer) => {
      asked += sent.toString('latin1')
      if (isHeld(sent)) return void held.push(() => void far.write(sent))
      if (isMute(sent)) isSilent = true
      far.write(sent)
    })
    far.on('data', (answer: Buffer) => {
      answered += asked
      asked = ''
      if (!isSilent) near.write(answer)
    })
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const own = new URL(url)
  own.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: own.href,
    heldCount: () => held.length,
    release: () => held.splice(0).forEach((pass) => pass()),
    forget: () => void (answered = ''),
    /** Whether a message with this text has been answered since `forget`. */
    hasAnswered: (text: string) => answered.includes(text),
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
