import { createServer, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { isFull } from '../../../tests/support/counts'
import { within } from '../../../tests/support/machine-load'
import { receiverCertificate } from '../../../tests/support/receiver-certificate'
import { answerWith, hang, openReceiver, type Receiver } from '../../../tests/support/webhook-receiver'
import { deliveryLimitMs, sendDelivery } from './send'

let receiver: Receiver
beforeEach(async () => void (receiver = await openReceiver()))
afterEach(() => receiver.close())

const rules = { networks: [], loopback: true }
const send = ({ url = receiver.url, body = '{"a":1}', limitMs = 5000 } = {}) =>
  sendDelivery({ url, headers: { 'content-type': 'application/json', 'webhook-id': 'one' }, body }, { rules, limitMs })

it('a delivery is a POST of the body with its length, and an answer with any status of success counts', async () => {
  const body = '{"name":"Grüße 🚀"}'
  for (const status of [200, 201, 202, 204, 299]) {
    receiver.answers(answerWith(status))
    expect(await send({ body })).toMatchObject({ ok: true, status, error: null })
  }
  expect(receiver.received[0]).toMatchObject({ id: 'one', body, headers: { 'content-length': String(Buffer.byteLength(body)) } })
})

it.each([304, 400, 401, 404, 410, 429, 500, 503])(
  'an answer with the status %i is a failure, and its text is kept',
  async (status) => {
    const text = status === 304 ? '' : 'no room'
    receiver.answers(answerWith(status, text))
    expect(await send()).toMatchObject({ ok: false, status, answer: text })
  },
)

it('an attempt ends at its limit, which is 15 seconds, if the receiver does not answer', async () => {
  expect(deliveryLimitMs).toBe(15_000)
  receiver.answers(hang)
  expect(await send({ limitMs: 200 })).toMatchObject({ ok: false, status: null, error: 'No answer within 0.2 s', answer: null })
})

it.runIf(isFull)('an attempt ends after the 15 seconds of production', { timeout: within(60_000) }, async () => {
  receiver.answers(hang)
  expect(await send({ limitMs: deliveryLimitMs })).toMatchObject({ ok: false, status: null, error: 'No answer within 15 s' })
})

it('of a long answer the first 2 KiB are kept, and the rest is not read', async () => {
  let sent = 0
  receiver.answers((response) => {
    const part = 'x'.repeat(65_536)
    const more = () => {
      while (!response.destroyed) {
        sent += part.length
        if (!response.write(part)) return void response.once('drain', more)
      }
    }
    response.writeHead(200)
    more()
  })
  const { ok, answer } = await send()
  expect([ok, answer]).toEqual([true, 'x'.repeat(2048)])
  expect(sent).toBeLessThan(64 * 1024 * 1024)
})

it('of an answer that goes on beyond the limit what has arrived is kept, and its status counts', async () => {
  receiver.answers((response) => response.writeHead(200).write('begun'))
  expect(await send({ limitMs: 500 })).toMatchObject({ ok: true, status: 200, answer: 'begun' })
  receiver.answers((response) => response.writeHead(500).write('failed: '))
  expect(await send({ limitMs: 500 })).toMatchObject({ ok: false, status: 500, answer: 'failed: ' })
})

it('an answer that comes slowly is kept whole', async () => {
  receiver.answers(async (response) => {
    response.writeHead(200)
    for (const part of ['one ', 'two ', 'three']) {
      response.write(part)
      await pause(20)
    }
    response.end()
  })
  expect(await send()).toMatchObject({ ok: true, answer: 'one two three' })
})

it('an answer is kept as text that can be stored, whatever its bytes', async () => {
  receiver.answers((response) => response.writeHead(500).end(Buffer.from([0x61, 0, 0xff, 0x1b, 0x62])))
  const { answer } = await send()
  expect(answer).toMatch(/^a.*b$/s)
  expect(answer).not.toContain('\0')
})

/** A server that does this with each connection. */
const rawServer = async (serve: (socket: Socket) => void) => {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

it.each<[string, (socket: Socket) => void, string]>([
  ['closes the connection at once', (socket) => socket.destroy(), 'ECONNRESET'],
  ['closes it after the request', (socket) => socket.once('data', () => socket.end()), 'ECONNRESET'],
  ['resets it', (socket) => socket.once('data', () => socket.resetAndDestroy()), 'ECONNRESET'],
  ['does not speak HTTP', (socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'), 'HPE_'],
  [
    'has too large headers',
    (socket) => socket.end(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`),
    'HPE_HEADER_OVERFLOW',
  ],
  [
    'changes the protocol',
    (socket) => socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n'),
    'The connection ended without an answer',
  ],
  ['answers nothing but headers that do not end', (socket) => socket.write('HTTP/1.1 200 OK\r\nx: '), 'No answer within 0.5 s'],
])('a receiver that %s is a failure that says so', async (_, serve, error) => {
  const server = await rawServer(serve)
  const sent = await send({ url: server.url, limitMs: 500 })
  expect(sent).toMatchObject({ ok: false, status: null, answer: null })
  expect(sent.error).toContain(error)
  server.close()
})

it('a receiver that answers before it has read the body, and closes, is not an error of the process', async () => {
  const server = await rawServer((socket) => {
    socket.end('HTTP/1.1 413 Payload Too Large\r\ncontent-length: 0\r\nconnection: close\r\n\r\n', () => socket.resetAndDestroy())
  })
  const { ok } = await send({ url: server.url, body: 'x'.repeat(16 * 1024 * 1024) })
  expect(ok).toBe(false)
  server.close()
})

it('nobody at the address is a failure that says so', async () => {
  await receiver.close()
  const { ok, error } = await send()
  expect(ok).toBe(false)
  expect(error).toContain('ECONNREFUSED')
  await expect(send({ url: 'http://name-that-does-not-exist.invalid/' })).resolves.toMatchObject({
    error: 'The host name has no address',
  })
})

it('a receiver whose certificate nobody vouches for gets nothing', async () => {
  const secure = await openReceiver({ tls: receiverCertificate })
  const { ok, error } = await send({ url: secure.url })
  expect(ok).toBe(false)
  expect(error).toContain('DEPTH_ZERO_SELF_SIGNED_CERT')
  expect([secure.connections(), secure.received]).toEqual([1, []])
  await secure.close()
})
