import { Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { answerWith, openReceiver, type Receiver } from '../../../tests/support/webhook-receiver'
import { findReceiver, type ReceiverRules, type Resolve } from './addresses'
import { sendDelivery } from './send'

let receiver: Receiver
const connected = vi.spyOn(Socket.prototype, 'connect')
beforeAll(async () => void (receiver = await openReceiver()))
beforeEach(() => void connected.mockClear())
afterEach(() => void (receiver.received.length = 0))
afterAll(async () => {
  connected.mockRestore()
  await receiver.close()
})

const strict: ReceiverRules = { networks: [], loopback: false }
const local: ReceiverRules = { networks: [], loopback: true }

const names: Record<string, readonly string[]> = {
  'private.example': ['10.1.2.3'],
  'loopback.example': ['127.0.0.1'],
  'loopback6.example': ['::1'],
  'mapped.example': ['::ffff:127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'unspecified.example': ['0.0.0.0'],
  'second.example': ['203.0.114.7', '10.0.0.1'],
  'first.example': ['10.0.0.1', '203.0.114.7'],
  'mixed.example': ['2606:4700::1', 'fe80::1'],
  'nat64.example': ['64:ff9b::a00:1'],
  'zone.example': ['fe80::1%eth0'],
  'odd.example': ['not an address'],
  'empty.example': [],
  localhost: ['127.0.0.1'],
  'localhost.': ['::1'],
  'a.localhost': ['127.0.0.1'],
  'localhost.localdomain': ['127.0.0.1'],
  'ip6-localhost': ['::1'],
  'metadata.google.internal': ['169.254.169.254'],
  'public.example': ['203.0.114.7'],
}
const resolve: Resolve = async (host) =>
  (names[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const send = (url: string, rules = strict, by = resolve) =>
  sendDelivery({ url, headers: {}, body: '{}' }, { rules, resolve: by, limitMs: 5000 })

const hosts = [
  // Loopback in every notation that URLs or resolvers accept.
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.0x0.1',
  '127.0.0.0x1',
  '%31%32%37.0.0.1',
  '127%2e0%2e0%2e1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '１２７.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  // This host, and networks of its own.
  '0.0.0.0',
  '0',
  '0x0',
  '0.0.0.1',
  '[::]',
  '10.0.0.1',
  '10.255.255.255',
  '167772161',
  '012.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '0xc0a80101',
  '192.168.257',
  '100.64.0.1',
  '100.127.255.255',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fec0::1]',
  '[fe80::1]',
  '[febf::1]',
  // Metadata of clouds.
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '0251.0376.0251.0376',
  '169.254.170.2',
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  // IPv4 inside IPv6.
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:169.254.169.254]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[::a00:1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a00:1::1]',
  '[2002:c0a8:101::1]',
  '[2001:0:7f00:1::]',
  '[2001:0:4136:e378:8000:63bf:80ff:fffe]',
  // Not for one machine, or not for use.
  '224.0.0.1',
  '239.255.255.250',
  '255.255.255.255',
  '240.0.0.1',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.1',
  '203.0.113.1',
  '192.88.99.1',
  '[ff02::1]',
  '[ff0e::1]',
  '[100::1]',
  '[2001:db8::1]',
  '[3fff::1]',
  '[5f00::1]',
  '[2001:2::1]',
  '[2001:10::1]',
  // Names.
  ...Object.keys(names).filter((name) => name !== 'public.example'),
  'LOCALHOST',
  'Private.Example',
  'user@private.example',
  'public.example@127.0.0.1',
  'public.example:80@127.0.0.1',
  'public.example%2f@127.0.0.1',
  '127.0.0.1#@public.example',
  '127.0.0.1?@public.example',
  '127.0.0.1\\@public.example',
]

it.each(hosts)('no connection is made to %s', async (host) => {
  for (const scheme of ['https', 'http']) {
    const at = host.replace(/(?<=^|@)([^@#?\\]+)(?=$|[#?\\])/, `$1:${receiver.port}`)
    const { ok, error, answer, status } = await send(`${scheme}://${at}/latest/meta-data`)
    expect([ok, answer, status]).toEqual([false, null, null])
    expect(error).toMatch(/^The (URL leads to a private address|host name has no address)$/)
  }
  expect(connected).not.toHaveBeenCalled()
  expect(receiver.connections()).toBe(0)
})

it.each(['[::1%25lo]', '[fe80::1%eth0]', '127.0.0.1:99999', '[::ffff:127.0.0.1', '127.0.0.256', '0x7f.0.0.0.1', '1.2.3.4.5'])(
  'a URL with the host %s is none, and no connection is made',
  async (host) => {
    expect(await send(`https://${host}/`)).toMatchObject({ ok: false, status: null })
    expect(connected).not.toHaveBeenCalled()
  },
)

it('the name of a host is resolved once, and the checked address is the one that is connected to', async () => {
  let asked = 0
  // It leads elsewhere when it is resolved again.
  const rebinding: Resolve = async () => [{ address: asked++ === 0 ? '127.0.0.1' : '10.0.0.1', family: 4 }]
  expect(await send(`http://rebinding.example:${receiver.port}/`, local, rebinding)).toMatchObject({ ok: true, status: 204 })
  expect(asked).toBe(1)
  expect(receiver.received).toHaveLength(1)
  expect(receiver.received[0]?.headers.host).toBe(`rebinding.example:${receiver.port}`)
  expect(await send(`http://rebinding.example:${receiver.port}/`, local, rebinding)).toMatchObject({
    ok: false,
    error: 'The URL leads to a private address',
  })
})

it.each([301, 302, 303, 307, 308])('a redirect by %i to a private address is not followed, nor any other', async (status) => {
  for (const location of [`http://127.0.0.1:${receiver.port}/inside`, 'http://169.254.169.254/latest/meta-data', '/inside']) {
    receiver.answers(answerWith(status, '', { location }))
    expect(await send(receiver.url, local)).toMatchObject({ ok: false, status, error: 'Redirects are not followed' })
  }
  expect(receiver.received.map(({ path }) => path)).toEqual(['/teasel', '/teasel', '/teasel'])
  expect(connected).toHaveBeenCalledTimes(3)
  receiver.answers(answerWith(204))
})

it('a proxy of the environment is not used', async () => {
  vi.stubEnv('HTTP_PROXY', 'http://10.0.0.1:3128').stubEnv('http_proxy', 'http://10.0.0.1:3128')
  expect(await send(receiver.url, local)).toMatchObject({ ok: true })
  vi.unstubAllEnvs()
})

it('TEASEL_WEBHOOK_ALLOW makes exceptions by address and network, also in another notation, and nothing more', async () => {
  const rules: ReceiverRules = { networks: ['10.1.0.0/16', '127.0.0.1', 'fd00:1::/32'], loopback: false }
  const reason = async (host: string) => {
    const found = await findReceiver(new URL(`https://${host}/`), rules, resolve)
    return found.ok ? found.to.address : found.reason
  }
  expect(await reason('10.1.2.3')).toBe('10.1.2.3')
  expect(await reason('private.example')).toBe('10.1.2.3')
  expect(await reason('[::ffff:10.1.2.3]')).toBe('::ffff:a01:203')
  expect(await reason('[fd00:1::7]')).toBe('fd00:1::7')
  expect(await reason('127.0.0.1')).toBe('127.0.0.1')
  expect(await reason('public.example')).toBe('203.0.114.7')
  for (const host of ['10.2.0.1', '127.0.0.2', '[fd00:2::1]', 'second.example', '169.254.169.254'])
    expect(await reason(host), host).toBe('private_address')
})

it('http is for this machine in the local environment, nowhere else', async () => {
  const reason = async (url: string, rules: ReceiverRules) => {
    const found = await findReceiver(new URL(url), rules, resolve)
    return found.ok ? 'allowed' : found.reason
  }
  expect(await reason('http://localhost/', local)).toBe('allowed')
  expect(await reason('http://[::1]/', local)).toBe('allowed')
  expect(await reason('http://public.example/', local)).toBe('insecure')
  expect(await reason('http://public.example/', strict)).toBe('insecure')
  expect(await reason('http://10.1.2.3/', { networks: ['10.0.0.0/8'], loopback: true })).toBe('insecure')
  expect(await reason('http://127.0.0.1/', { networks: ['127.0.0.0/8'], loopback: false })).toBe('insecure')
  expect(await reason('https://public.example/', strict)).toBe('allowed')
})
