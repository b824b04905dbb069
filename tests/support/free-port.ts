import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Files that run at a time find theirs in ranges of their own: what one found is its own until its server listens there. */
const lane = Number(process.env.VITEST_POOL_ID ?? 0) % 4
const first = 20_000 + lane * 3000

/**
 * A port of loopback that nobody listens on, of those below the system's own choice: an outgoing connection could get one of them
 * before the server that it was found for has begun.
 */
export const freePort = async (): Promise<number> => {
  const port = randomInt(first, first + 3000)
  const server = createServer().listen(port, '127.0.0.1')
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  server.close()
  await once(server, 'close')
  return port
}
