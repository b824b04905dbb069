import { expect, it } from 'vitest'
import { createThrottle } from './throttle'

async function* chunks(count: number, bytes: number) {
  for (let n = 0; n < count; n++) yield Buffer.alloc(bytes)
}
const drain = async (stream: AsyncIterable<Buffer>) => {
  let bytes = 0
  for await (const chunk of stream) bytes += chunk.length
  return bytes
}
const rates = { deviceBytes: 100_000, deviceStreams: 2, projectBytes: 1_000_000_000 }

it('sends a second at once and the rest at the rate of the device, without losing a byte', async () => {
  const slowed = createThrottle(rates)
  const startedAt = performance.now()
  expect(await drain(slowed(chunks(13, 10_000), { deviceId: 'a', projectId: 'p' }))).toBe(130_000)
  // Node's timers may be a millisecond early.
  expect(performance.now() - startedAt).toBeGreaterThan(295)
})

it('counts what all devices of a project receive', async () => {
  const slowed = createThrottle({ ...rates, deviceBytes: 1_000_000_000, projectBytes: 100_000 })
  const startedAt = performance.now()
  await Promise.all(['a', 'b'].map((deviceId) => drain(slowed(chunks(7, 10_000), { deviceId, projectId: 'p' }))))
  expect(performance.now() - startedAt).toBeGreaterThan(395)
})

it('lets a stream of a device wait until another one ends, or is given up', async () => {
  const slowed = createThrottle(rates)
  const streams = Array.from({ length: 3 }, () => slowed(chunks(2, 10), { deviceId: 'a', projectId: 'p' }))
  const [first, second, third] = streams
  await first?.next()
  await second?.next()
  let hasBegun = false
  const waiting = third?.next().then(() => (hasBegun = true))
  await slowed(chunks(1, 10), { deviceId: 'b', projectId: 'p' }).next()
  expect(hasBegun).toBe(false)
  await first?.return(undefined)
  await waiting
  expect(hasBegun).toBe(true)
})
