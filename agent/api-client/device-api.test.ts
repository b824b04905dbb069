import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { CheckInBody } from '../../contract/device/api'
import { deviceApi } from './device-api'
import { Refused } from './http'

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server with the given answers, and a client for it. */
const against = async (listener: RequestListener) => {
  server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return deviceApi({ origin: `http://127.0.0.1:${port}`, timeoutMs: 20_000, token: () => 'dvc_test' })
}

const body = {} as CheckInBody
const checkInAnswer = (polling_interval_s: number) =>
  JSON.stringify({
    polling_interval_s,
    commands: [],
    want_attributes: false,
    log_level: null,
    server_time_ms: 0,
    update_available: false,
  })

describe('the waiting times that a server asks for', () => {
  it.each([
    [0, 30],
    [-5, 30],
    [1e15, 604_800],
    [120, 120],
  ])('is a poll interval of %d s, taken as %d s', async (asked, taken) => {
    const api = await against(({ url }, response) => {
      if (url?.startsWith('/device/v1/update')) response.writeHead(204, { 'x-poll-interval': String(asked) }).end()
      else response.writeHead(200, { 'content-type': 'application/json' }).end(checkInAnswer(asked))
    })
    expect((await api.checkIn(body)).polling_interval_s).toBe(taken)
    expect(await api.update(1, null)).toMatchObject({ pollIntervalS: taken })
  })

  it.each([
    ['0', 30_000],
    ['-1', 30_000],
    ['1e300', 604_800_000],
    ['Infinity', 604_800_000],
    ['soon', null],
  ])('is a Retry-After of %s, taken as %s ms', async (asked, taken) => {
    const api = await against((_, response) => void response.writeHead(503, { 'retry-after': asked }).end('{}'))
    const error: unknown = await api.checkIn(body).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(Refused)
    expect(error).toMatchObject({ status: 503, retryAfterMs: taken })
  })
})

describe('an endless answer', () => {
  const most = 400 * 2 ** 20
  // Bytes in the buffers of both ends are sent but never read.
  const buffered = 16 * 2 ** 20

  /** Sends bytes as long as the client reads, and counts them. */
  const pouring = (status: number) => {
    const count = { sent: 0 }
    const piece = Buffer.alloc(65_536, 0x20)
    const listener: RequestListener = ({ socket }, response) => {
      const pour = () => {
        while (!socket.destroyed && count.sent < most) {
          count.sent += piece.length
          if (!response.write(piece)) return void response.once('drain', pour)
        }
        response.end()
      }
      response.writeHead(status, { 'content-type': 'application/json' })
      pour()
    }
    return { count, listener }
  }

  it.each([
    ['an answer', 200],
    ['a refusal', 500],
  ])('is read to 1.5 MiB and no further, as %s', async (_, status) => {
    const { count, listener } = pouring(status)
    const api = await against(listener)
    await expect(api.checkIn(body)).rejects.toThrow()
    expect(count.sent).toBeLessThan(buffered)
  })

  it('is not read at all where its content is not needed', async () => {
    const { count, listener } = pouring(200)
    const api = await against(listener)
    await api.attributes({})
    expect(count.sent).toBeLessThan(buffered)
  })
})
