import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { within } from './machine-load'

/** Mulberry32: the same numbers for the same seed on every machine. */
const createRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const methods = 'GET GET GET HEAD OPTIONS POST POST PUT PATCH DELETE TRACE CONNECT PROPFIND QUERY M-SEARCH FOO get G\0T'.split(
  ' ',
)
const versions = ['1.1', '1.1', '1.1', '1.1', '1.0', '0.9', '2.0', '9.9', 'x']
const paths = [
  '/',
  '/healthz',
  '/readyz',
  '/signin',
  '/signup',
  '/sessions',
  '/users/self',
  '/projects',
  '/uploads',
  '/uploads/x',
  '/nowhere',
  '/device/check-in',
  '/assets/x.js',
  '/%',
  '/%00',
  '/%ff',
  '//',
  '/../..',
  '/..%2f..',
  '*',
  'x',
  '/?a[]=%&__proto__=1',
  '/signin?x=é',
  'http://localhost/',
  'http://[',
  `/${'a'.repeat(9e3)}`,
  `/?${'a=1&'.repeat(3e3)}`,
]

type Choices = Record<string, string[]>
/** Values that clients, proxies and attackers send. */
const headers: Choices = {
  'Content-Encoding': ['gzip', 'gzip', 'GZIP', 'identity', 'br', 'deflate', 'gzip, gzip', 'x', ''],
  'Content-Type': [
    'application/json',
    'application/x-ndjson',
    'application/x-www-form-urlencoded',
    'application/offset+octet-stream',
    'multipart/form-data',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    ';;;',
    '',
    'text/plain',
    '*/*',
  ],
  Expect: ['100-continue', '200-ok', ''],
  Upgrade: ['websocket', 'h2c', ''],
  Connection: ['close', 'keep-alive', 'upgrade', 'Upgrade, HTTP2-Settings', 'Host', 'x, , y', ''],
  'Accept-Encoding': ['gzip', 'br;q=1, *;q=0', 'x;q=,', ''],
  Accept: ['text/html', '*/*', 'text/event-stream', ';', ''],
  'Accept-Version': ['1.x', ''],
  Origin: ['null', 'http://localhost:5173', 'http://evil.example', 'http://[', ''],
  Cookie: ['a', '=', 'teasel_form=%', '__Host-form=x; __Host-form=y', ';;;', `a=${'b'.repeat(5000)}`],
  'X-Session-Token': ['ses_x', `ses_${'a'.repeat(40)}`, '__proto__', ''],
  Authorization: ['Bearer', 'Bearer  x', `Bearer dvc_${'a'.repeat(40)}`, 'Basic Og==', ''],
  'X-Request-Id': ['x'.repeat(64), '../..', ''],
  Range: ['bytes=0-', 'bytes=-1', 'bytes=9-1,,', 'x', ''],
  'If-Match': ['"1"', '*', '"', ''],
  'If-None-Match': ['*', 'W/', ''],
  'If-Modified-Since': ['yesterday', '-1', ''],
  'Idempotency-Key': ['x', 'x'.repeat(300), ''],
  'Tus-Resumable': ['1.0.0', '0.0.0', ''],
  'Upload-Length': ['-1', '1e99', 'x', '9007199254740993'],
  'Upload-Metadata': ['filename', 'filename %%%', ',,,', ''],
  'Sec-Fetch-Site': ['cross-site', ''],
  'Sec-Fetch-Dest': ['script', 'document', ''],
  'Access-Control-Request-Method': ['PATCH', '', '\u00e9'],
  'X-Forwarded-For': ['1.2.3.4', "'", ''],
  'X-HTTP-Method-Override': ['DELETE'],
  Trailer: ['Content-Encoding'],
  TE: ['trailers', 'gzip'],
}

const oddLines = [
  ': no name',
  'No-Colon',
  ' Folded: x',
  'A: b\r\n folded',
  'Bad Name: x',
  'X: a\0b',
  'X: é🦀',
  'X:\rY: z',
  `X: ${'y'.repeat(2e4)}`,
  Array.from({ length: 2500 }, (_, n) => `X-${n}: y`).join('\r\n'),
]

const hosts = (own: string) => [
  own,
  own,
  own,
  own,
  own,
  '',
  'evil.example',
  `${own}, ${own}`,
  `${own}\r\nHost: evil.example`,
  '[::1',
  '__proto__',
]

const gzipped = gzipSync('{"name":"x"}')
const bodies = [
  Buffer.alloc(0),
  Buffer.from('{}'),
  Buffer.from('{"name":{"toString":1}}'),
  Buffer.from('a=1&a=2&__proto__=x&=%'),
  Buffer.from('--x\r\nContent-Disposition: form-data; name="a"\r\n\r\nb'),
  gzipped,
  gzipped.subarray(0, -3),
  Buffer.concat([gzipped, Buffer.from('more')]),
  gzipSync(Buffer.alloc(4 * 1024 * 1024)),
  Buffer.from([0x1f, 0x8b, 8, 0xff, 0, 0, 0]),
  Buffer.alloc(3000, 0xff),
  Buffer.alloc(300_000, 'x'),
]

const chunk = (bytes: Buffer) => Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])
const end = Buffer.from('0\r\n\r\n')

type Framed = { lines: string[]; bytes: Buffer }
/** How a body is announced and sent: right, missing, contradictory, cut off. */
const framings: ((body: Buffer) => Framed)[] = [
  () => ({ lines: [], bytes: Buffer.alloc(0) }),
  (body) => ({ lines: [`Content-Length: ${body.length}`], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}`], bytes: body }),
  (body) => ({ lines: ['Transfer-Encoding: chunked'], bytes: Buffer.concat([body.length > 0 ? chunk(body) : body, end]) }),
  () => ({ lines: ['Content-Length: 0'], bytes: Buffer.alloc(0) }),
  (body) => ({ lines: [`Content-Length: ${body.length + 7}`], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${Math.max(0, body.length - 1)}`], bytes: body }),
  (body) => ({ lines: ['Content-Length: -1'], bytes: body }),
  (body) => ({ lines: ['Content-Length: 0x10'], bytes: body }),
  (body) => ({ lines: ['Content-Length: 99999999999999999999'], bytes: body }),
  (body) => ({ lines: [`Content-Length: ${body.length}`, 'Content-Length: 3'], bytes: body }),
  (body) => ({
    lines: [`Content-Length: ${body.length}`, 'Transfer-Encoding: chunked'],
    bytes: Buffer.concat([chunk(body), end]),
  }),
  (body) => ({ lines: ['Transfer-Encoding: chunked'], bytes: chunk(body) }),
  (body) => ({ lines: ['Transfer-Encoding: chunked'], bytes: body }),
  (body) => ({ lines: ['Transfer-Encoding: chunked'], bytes: Buffer.concat([Buffer.from('fffffffffffffffff\r\n'), body]) }),
  (body) => ({ lines: ['Transfer-Encoding: gzip, chunked'], bytes: Buffer.concat([chunk(body), end]) }),
  (body) => ({ lines: ['Transfer-Encoding: gzip'], bytes: body }),
  (body) => ({ lines: ['Transfer-Encoding: identity'], bytes: body }),
  (body) => ({
    lines: ['Transfer-Encoding: chunked', 'Trailer: X'],
    bytes: Buffer.concat([chunk(body), Buffer.from('0\r\nContent-Encoding: gzip\r\nX: y\r\n\r\n')]),
  }),
  (body) => ({
    lines: [`Content-Length: ${body.length}`],
    bytes: Buffer.concat([body, Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Encoding: gzip\r\n\r\n')]),
  }),
]

/** Odd requests as raw bytes: methods, versions, headers and framings, combined at random by a fixed seed. */
export function* oddRequests(count: number, seed: number, host: string): Generator<Buffer> {
  const random = createRandom(seed)
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T
  for (let n = 0; n < count; n++) {
    const { lines, bytes } = pick(framings)(pick(bodies))
    const names = Object.keys(headers).filter((name) => random() < (name === 'Content-Encoding' ? 0.5 : 0.12))
    const head = [
      `${pick(methods)} ${pick(paths)} HTTP/${pick(versions)}`,
      `Host: ${pick(hosts(host))}`,
      ...names.map((name) => `${name}: ${pick(headers[name] ?? [])}`),
      ...lines,
      ...(random() < 0.15 ? [pick(oddLines)] : []),
    ]
    yield Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), bytes])
  }
}

/**
 * Sends bytes, ends its side, and resolves with the answer once the server has ended the connection too; rejects after the time
 * limit. A server drops its work when the other side ends: with `waits` ending is left to the server, which a request asks for
 * with `Connection: close`.
 */
export const sendRaw = (port: number, bytes: Buffer, withinMs = 5000, waits = false): Promise<string> =>
  new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => (waits ? socket.write(bytes) : socket.end(bytes)))
    const late = setTimeout(() => {
      socket.destroy()
      reject(new Error(`no end after ${within(withinMs)} ms of ${JSON.stringify(bytes.subarray(0, 600).toString('latin1'))}`))
    }, within(withinMs))
    socket.setEncoding('latin1').on('data', (text: string) => (answer += text))
    // A server that refuses before it has read everything resets the connection: that is an answer too.
    socket.on('error', () => {})
    socket.once('close', () => {
      clearTimeout(late)
      resolve(answer)
    })
  })
