import { expect, it, vi } from 'vitest'
import { refused, unanswered } from '../../api/failure'
import { createHeldRequest } from './held-request'

type Sent = { body: string; idempotencyKey: string }

const start = () => {
  let n = 0
  const request = createHeldRequest<string>(() => `key-${(n += 1)}`)
  const send = vi.fn<(sent: Sent) => Promise<string>>().mockResolvedValue('done')
  return { send, ask: (intent: string, body: string) => request(intent, body, send).catch(() => 'failed') }
}
const sent = ({ send }: ReturnType<typeof start>) => send.mock.calls.map(([{ body, idempotencyKey }]) => [body, idempotencyKey])

it('a request without an answer is repeated with its first body and key until it is answered', async () => {
  const one = start()
  one.send.mockRejectedValueOnce(unanswered('network_error', undefined)).mockRejectedValueOnce(unanswered('timeout', undefined))
  for (const until of ['10:00', '10:01', '10:02', '10:03']) await one.ask('pause for an hour', until)
  expect(sent(one)).toEqual([
    ['10:00', 'key-1'],
    ['10:00', 'key-1'],
    ['10:00', 'key-1'],
    ['10:03', 'key-2'],
  ])
})

it.each([502, 503, 504])(
  'a request is repeated with its first key after status %s, which may follow a change',
  async (status) => {
    const one = start()
    one.send.mockRejectedValueOnce(refused(new Response('', { status }), undefined))
    await one.ask('pause for an hour', '10:00')
    await one.ask('pause for an hour', '10:01')
    expect(sent(one)).toEqual([
      ['10:00', 'key-1'],
      ['10:00', 'key-1'],
    ])
  },
)

it('a request is repeated with its first key while the server still works on the first one', async () => {
  const one = start()
  const running = { error: { code: 'idempotency_in_progress', message: 'Still running', details: [], request_id: 'r' } }
  one.send.mockRejectedValueOnce(unanswered('timeout', undefined))
  one.send.mockRejectedValueOnce(refused(new Response('', { status: 409 }), running))
  for (const until of ['10:00', '10:01', '10:02']) await one.ask('pause for an hour', until)
  expect(sent(one)).toEqual([
    ['10:00', 'key-1'],
    ['10:00', 'key-1'],
    ['10:00', 'key-1'],
  ])
})

it('a refused request and another intent each get a new key', async () => {
  const one = start()
  one.send.mockRejectedValueOnce(refused(new Response('', { status: 409 }), undefined))
  one.send.mockRejectedValueOnce(unanswered('network_error', undefined))
  await one.ask('pause for an hour', '10:00')
  await one.ask('pause for an hour', '10:01')
  await one.ask('pause for a day', '10:02')
  expect(sent(one)).toEqual([
    ['10:00', 'key-1'],
    ['10:01', 'key-2'],
    ['10:02', 'key-3'],
  ])
})
