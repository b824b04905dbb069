// The program of the thread in hashing-thread.ts. Plain JavaScript: a thread of Node does not load TypeScript.
import { createHash } from 'node:crypto'
import { parentPort } from 'node:worker_threads'

// Each port is one hash: bytes to hash, or null to ask for the digest so far. Each message gets an answer, in order.
parentPort?.on('message', (port) => {
  const hash = createHash('sha256')
  port.on('message', (bytes) => {
    if (bytes === null) return port.postMessage(hash.copy().digest('hex'))
    hash.update(bytes)
    return port.postMessage(null)
  })
})
