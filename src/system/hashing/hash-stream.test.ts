import { createHash, randomBytes } from 'node:crypto'
import { expect, it } from 'vitest'
import { hashStream } from './hash-stream'

const bytes = randomBytes(3 * 1_048_576)

it('a stream is hashed chunk by chunk, with its progress', async () => {
  const seen: number[] = []
  const chunks = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const end of [1, 2, 3]) controller.enqueue(bytes.subarray((end - 1) * 1_048_576, end * 1_048_576))
      controller.close()
    },
  })
  const { sha256, size } = await hashStream(chunks, (done) => seen.push(done))
  expect([sha256, size]).toEqual([createHash('sha256').update(bytes).digest('hex'), bytes.length])
  expect(seen).toEqual([1, 2, 3].map((count) => count * 1_048_576))
})

it('a stream that breaks off has no hash', async () => {
  const broken = new ReadableStream<Uint8Array>({
    start: (controller) => {
      controller.enqueue(new Uint8Array(8))
      controller.error(new Error('The connection was lost'))
    },
  })
  await expect(hashStream(broken)).rejects.toThrow('The connection was lost')
})
