import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { deviceServer } from '../testing/device-server'
import { newKey, release } from '../testing/releases'
import { openSimulatedDevice, quietFleet } from '../testing/simulated'
import { classes } from './classes'
import { runHostile } from './hostile'

it.each([
  ['accepts', null, 200],
  ['refuses', { path: /update_events$/, status: 503, code: 'unavailable' }, 503],
])('records the status of the server that %s the report about a forged manifest', async (_, refuse, status) => {
  const [gateway] = classes
  if (!gateway) throw new Error('There is no class')
  const server = await deviceServer()
  const key = await newKey()
  server.plan.offer = await release(key, { version: 2, files: [{ bytes: 'x', location: '/app' }] })
  server.plan.refuse = refuse
  const stop = new AbortController()
  const recorded: number[][] = []
  const options = {
    ...quietFleet(server.url, server.enrollmentToken, [key.publicKey]),
    recordHostile: (_serial: string, _kind: string, statuses: readonly number[]) => {
      recorded.push([...statuses])
      stop.abort()
    },
  }
  const path = join(mkdtempSync(join(tmpdir(), 'teasel-hostile-')), 'device.json')
  const device = await openSimulatedDevice({ serial: 'GWI-1', name: 'gateway-1', kind: gateway }, path, options, stop.signal)
  await runHostile(device, 'forged_signature')
  await server.close()
  expect(recorded).toEqual([[status]])
  expect(server.seen.problems).toEqual([])
})
