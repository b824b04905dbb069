import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceConfig } from '../contract/device/config'
import { runAgent } from './agent'
import { setUpAgent } from './testing/agent-process'
import { newId, newKey, release, type Release } from './testing/releases'

/** A plain file server, like a mirror; it records the tokens that it must never receive. */
const mirror = async (first: Release) => {
  const held = { release: first }
  const tokens: unknown[] = []
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    const { release: offered } = held
    const asset = offered.assets.find(({ id }) => request.url === `/device/v1/assets/${id}`)
    if (request.url === '/latest.json') response.end(JSON.stringify(offered.envelope))
    else if (asset) response.end(asset.bytes)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, tokens, held, close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())) }
}

describe('the fallback manifest', () => {
  let key: Awaited<ReturnType<typeof newKey>>, place: Awaited<ReturnType<typeof mirror>>
  beforeEach(async () => {
    key = await newKey()
    place = await mirror(await release(key, { version: 2, files: [{ bytes: 'from the mirror', location: '/app' }] }))
  })
  afterEach(() => place.close())

  /** The server of this device is a port without a listener. */
  const run = async (keys = [key.publicKey]) => {
    const known = { enrollment_token: undefined, device_id: newId(), device_token: `dvc_${'x'.repeat(49)}` }
    const left = await mirror(await release(key, { version: 1, files: [{ bytes: 'x', location: '/x' }] }))
    await left.close()
    const gone = { url: left.url, enrollmentToken: '' }
    const changes: Partial<DeviceConfig> = {
      ...known,
      single_check: true,
      fallback_manifest_url: `${place.url}/latest.json`,
      logs_enabled: false,
    }
    const device = setUpAgent(gone, keys, changes)
    const again = () => runAgent(device.config, device.config, new AbortController().signal)
    return { device, ending: await again(), again }
  }

  it('is installed when the server cannot be reached, and the mirror gets no token', async () => {
    const { device, ending } = await run()
    expect(ending).toEqual({ exit: 0 })
    expect(device.file('app')).toBe('from the mirror')
    expect(device.state()).toMatchObject({ installed: { version: 2 } })
    expect(device.state().events.map(({ type }) => type)).toContain('update_confirmed')
    expect(place.tokens.filter(Boolean)).toEqual([])
  })

  it('allows a downgrade only to a version that the installed manifest lists', async () => {
    const older = await release(key, { version: 1, files: [{ bytes: 'older', location: '/app' }] })
    const { device, again } = await run()
    place.held.release = older
    expect(await again()).toEqual({ exit: 3 })
    expect(device.file('app')).toBe('from the mirror')
    place.held.release = await release(key, { version: 3, may_return_to: [1], files: [{ bytes: 'third', location: '/app' }] })
    expect(await again()).toEqual({ exit: 0 })
    place.held.release = older
    expect(await again()).toEqual({ exit: 0 })
    expect(device.file('app')).toBe('older')
    expect(device.state()).toMatchObject({ installed: { version: 1 } })
  })

  it('T-17 is verified with the same keys', async () => {
    const { device, ending } = await run([(await newKey()).publicKey])
    expect(ending).toEqual({ exit: 3 })
    expect(() => readFileSync(join(device.root, 'app'))).toThrow('ENOENT')
  })
})
