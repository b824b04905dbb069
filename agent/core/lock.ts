import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

/**
 * Allows one agent per state directory. The lock is an abstract socket of the kernel: it ends with the process, so it is never
 * stale. Systems other than Linux have no such sockets, and no lock.
 */
export const holdLock = async (directory: string): Promise<() => Promise<void>> => {
  if (process.platform !== 'linux') return async () => {}
  const name = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 32)
  const server: Server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(error.code === 'EADDRINUSE' ? new Error(`Another agent is running on ${directory}`) : error),
    )
    server.listen(`\0teasel-agent-${name}`, resolve)
  })
  server.unref()
  return () => new Promise((resolve) => server.close(() => resolve()))
}
