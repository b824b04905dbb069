import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DeviceConfig } from '../contract/device/config'
import { runAgent } from './agent'
import { type AgentSetup, setUpAgent } from './testing/agent-process'
import { newId, newKey, release, type Release } from './testing/releases'
import { within } from '../tests/support/machine-load'

/** A plain file server, like a mirror; it records the tokens that it must never receive. */
const mirror = async (first: Release) => {
  const held = { release: first, missing: 0, waits: false, refusal: null as string | null, date: undefined as string | undefined }
  const tokens: unknown[] = []
  const requests = new EventEmitter()
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization)
    const { release: offered } = held
    const asset = offered.assets.find(({ id }) => request.url === `/device/v1/assets/${id}`)
    if (asset) requests.emit('asset')
    if (asset && held.waits) return
    if (request.url === '/latest.json') response.end(JSON.stringify(offered.envelope))
    else if (asset && held.missing-- > 0) response.writeHead(404).end()
    else if (asset && held.refusal !== null)
      response.writeHead(403).end(JSON.stringify({ error: { code: held.refusal, message: 'No', details: [], request_id: 'x' } }))
    else if (asset) response.setHeader('date', held.date ?? new Date().toUTCString()).end(asset.bytes)
    else response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    tokens,
    held,
    requests,
    close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())),
  }
}

describe('the fallback manifest', () => {
  let key: Awaited<ReturnType<typeof newKey>>, place: Awaited<ReturnType<typeof mirror>>
  beforeEach(async () => {
    key = await newKey()
    place = await mirror(await release(key, { version: 2, files: [{ bytes: 'from the mirror', location: '/app' }] }))
  })
  afterEach(() => place.close())

  /** The server of this device is a port without a listener. */
  const prepare = async (keys = [key.publicKey], more: Partial<DeviceConfig> = {}) => {
    const known = { enrollment_token: undefined, device_id: newId(), device_token: `dvc_${'x'.repeat(49)}` }
    const left = await mirror(await release(key, { version: 1, files: [{ bytes: 'x', location: '/x' }] }))
    await left.close()
    const gone = { url: left.url, enrollmentToken: '' }
    const changes: Partial<DeviceConfig> = {
      ...known,
      single_check: true,
      fallback_manifest_url: `${place.url}/latest.json`,
      logs_enabled: false,
      ...more,
    }
    const device = setUpAgent(gone, keys, changes)
    const again = (signal = new AbortController().signal) => runAgent(device.config, device.config, signal)
    return { device, again }
  }
  const run = async (...given: Parameters<typeof prepare>) => {
    const { device, again } = await prepare(...given)
    return { device, ending: await again(), again }
  }
  const accepted = (device: AgentSetup) => device.state().events.filter(({ type }) => type === 'update_accepted').length

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

  it('is tried again after a download that failed, without a restart', async () => {
    // As often as one attempt asks for it: the first time and each repetition.
    place.held.missing = 1 + 2
    const { device, again } = await prepare([key.publicKey], { single_check: false, download_retries: 2 })
    const stop = new AbortController()
    const running = again(stop.signal)
    await expect.poll(() => existsSync(join(device.root, 'app')), { timeout: within(30_000) }).toBe(true)
    stop.abort()
    await running
    expect(accepted(device)).toBe(2)
  })

  it.each([
    ['the release does not pass its validation', { hooks: { post_reboot: 'exit 1' } }],
    ['a hook before the installation fails', { hooks: { pre_install: 'exit 1' } }],
  ])('is not tried again, also after a restart, where %s; another one is', async (_, plan) => {
    const files = [{ bytes: 'bad', location: '/app' }]
    place.held.release = await release(key, { version: 2, files, ...plan })
    const { device, ending, again } = await run()
    expect(ending).toEqual({ exit: 1 })
    expect(await again()).toEqual({ exit: 1 })
    expect(accepted(device)).toBe(1)
    place.held.release = await release(key, { version: 3, files: [{ bytes: 'good', location: '/app' }] })
    expect(await again()).toEqual({ exit: 0 })
    expect(device.file('app')).toBe('good')
  })

  it('cannot end the agent: a mirror that refuses a file is no server that has decommissioned the device', async () => {
    place.held.refusal = 'decommissioned'
    const { device, ending } = await run()
    expect(ending).toEqual({ exit: 1 })
    expect(device.state()).toMatchObject({ attempt: null })
    expect(device.state().events.at(-1)).toMatchObject({ type: 'update_failed', reason_code: 'download_incomplete' })
  })

  it('does not move the clock by the date of its files', async () => {
    place.held.date = 'Fri, 01 Jan 2088 00:00:00 GMT'
    const { device } = await run()
    expect(device.state().events.at(-1)).toMatchObject({ type: 'update_confirmed' })
    for (const { ts_ms } of device.state().events) expect(ts_ms).toBeLessThan(Date.now() + 60_000)
  })

  it('is continued after a kill during its download, also while the server is away', async () => {
    const { device, again } = await prepare()
    const stop = new AbortController()
    const stopped = once(place.requests, 'asset').then(() => stop.abort())
    place.held.waits = true
    await again(stop.signal)
    await stopped
    expect(device.state().attempt).toMatchObject({ phase: 'accepted' })
    place.held.waits = false
    expect(await again()).toEqual({ exit: 0 })
    expect(accepted(device)).toBe(1)
    expect(device.file('app')).toBe('from the mirror')
  })

  it('T-17 is verified with the same keys', async () => {
    const { device, ending } = await run([(await newKey()).publicKey])
    expect(ending).toEqual({ exit: 3 })
    expect(() => readFileSync(join(device.root, 'app'))).toThrow('ENOENT')
  })
})
