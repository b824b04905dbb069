import { afterEach, beforeEach, expect, it } from 'vitest'
import { buildAgent, setUpAgent, type Running, start } from './testing/agent-process'
import { type DeviceServer, deviceServer } from './testing/device-server'
import { newKey } from './testing/releases'

let server: DeviceServer
let running: Running | undefined
beforeEach(async () => void (server = await deviceServer()))
afterEach(async () => {
  await running?.kill('SIGKILL')
  await server.close()
})

it('an agent that gets 503 with a short Retry-After waits longer each time', async () => {
  const key = await newKey()
  const { configPath } = setUpAgent(server, [key.publicKey], { metrics_interval_s: 3600, logs_enabled: false })
  server.plan.refuse = { path: /enroll/, status: 503, code: 'unavailable', retryAfter: '0' }
  running = start(await buildAgent(), ['--config', configPath])
  await server.until(() => server.seen.refusedAt.length >= 4)
  const times = server.seen.refusedAt
  const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0))
  // At least half of 2, 4 and 8 seconds.
  for (const [n, least] of [1000, 2000, 4000].entries()) expect(gaps[n]).toBeGreaterThanOrEqual(least - 20)
})
