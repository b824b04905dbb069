import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

/** What a proxy or portal makes of one answer; `right` leaves it as the server of the file gives it. */
export type StrangeAnswer = {
  status: 'right' | 200 | 203 | 204 | 206 | 302 | 304 | 401 | 403 | 404 | 407 | 416 | 429 | 502 | 503 | 511
  range: 'right' | 'none' | 'earlier' | 'later' | 'whole' | 'other total' | 'unknown total' | 'several'
  /** Where the bytes of the body begin, whatever the answer says. */
  offset: 'right' | 'beginning' | 'one later'
  length: 'right' | 'none' | 'shorter' | 'longer'
  encoding: 'none' | 'gzip' | 'claimed' | 'unknown'
  body: 'right' | 'one flipped byte' | 'login page' | 'empty' | 'longer'
  end: 'whole' | 'cut' | 'ended early'
}
/** With the seconds that the server asks to wait. */
export type PlannedAnswer = StrangeAnswer & { retryAfter?: number }
export const rightAnswer: StrangeAnswer = {
  status: 'right',
  range: 'right',
  offset: 'right',
  length: 'right',
  encoding: 'none',
  body: 'right',
  end: 'whole',
}

export const page = Buffer.from('<!doctype html><title>Sign in to this network</title><p>Accept the terms to go on.</p>')

const bodyOf = ({ body, offset }: StrangeAnswer, file: Buffer, from: number): Buffer => {
  const bytes = Buffer.from(file.subarray({ right: from, beginning: 0, 'one later': from + 1 }[offset]))
  if (body === 'one flipped byte' && bytes.length > 0) bytes[bytes.length >> 1]! ^= 1
  if (body === 'longer') return Buffer.concat([bytes, Buffer.alloc(7, 0x20)])
  return { 'login page': page, empty: Buffer.alloc(0) }[body as string] ?? bytes
}

const rangeOf = ({ range }: StrangeAnswer, from: number, size: number): string | null => {
  const last = size - 1
  const texts: Record<StrangeAnswer['range'], string | null> = {
    right: from > 0 ? `bytes ${from}-${last}/${size}` : null,
    none: null,
    several: null,
    earlier: `bytes ${Math.max(0, from - 1)}-${last}/${size}`,
    later: `bytes ${from + 1}-${last}/${size}`,
    whole: `bytes 0-${last}/${size}`,
    'other total': `bytes ${from}-${last}/${size + 1}`,
    'unknown total': `bytes ${from}-${last}/*`,
  }
  return texts[range]
}

const several = (bytes: Buffer, from: number, size: number) =>
  Buffer.concat([
    Buffer.from(`--x\r\nContent-Range: bytes ${from}-${size - 1}/${size}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n--x--\r\n'),
  ])

const send = (response: ServerResponse, answer: PlannedAnswer, file: Buffer, from: number) => {
  const status = answer.status === 'right' ? (from > 0 ? 206 : 200) : answer.status
  const plain = bodyOf(answer, file, from)
  const parts = answer.range === 'several' ? several(plain, from, file.length) : plain
  const bytes = answer.encoding === 'gzip' ? gzipSync(parts) : parts
  const contentRange = rangeOf(answer, from, file.length)
  const type = answer.body === 'login page' ? 'text/html' : 'application/octet-stream'
  const length = { right: bytes.length, none: null, shorter: Math.max(0, bytes.length - 3), longer: bytes.length + 3 }[
    answer.length
  ]
  response.writeHead(status, {
    'content-type': answer.range === 'several' ? 'multipart/byteranges; boundary=x' : type,
    ...(contentRange !== null && { 'content-range': contentRange }),
    ...(length !== null && { 'content-length': length }),
    ...(answer.encoding !== 'none' && { 'content-encoding': answer.encoding === 'unknown' ? 'x-other' : 'gzip' }),
    ...(answer.retryAfter !== undefined && { 'retry-after': String(answer.retryAfter) }),
    ...(status === 302 && { location: 'http://portal.test/' }),
  })
  if (answer.end === 'whole' && answer.length !== 'longer') return void response.end(bytes)
  const sent = answer.end === 'whole' ? bytes : bytes.subarray(0, bytes.length >> 1)
  if (answer.end === 'ended early' && length === null) return void response.end(sent)
  response.flushHeaders()
  response.write(sent, () => setImmediate(() => response.destroy()))
}

/** A server of one file behind a network that changes its answers: those of the plan first, and right ones after them. */
export const strangeNetwork = async (file: Buffer) => {
  const plan: PlannedAnswer[] = []
  const seen: { from: number }[] = []
  const server = createServer((request, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    seen.push({ from })
    send(response, plan.shift() ?? rightAnswer, file, from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    plan,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
