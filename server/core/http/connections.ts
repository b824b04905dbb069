import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import { Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyRequest } from 'fastify'
import { nextRequestId } from '../ids'
import { timeLimits, type TimeLimits } from './time-limits'

/** Statuses of refusals that happen before a route can answer. */
export type EarlyStatus = 400 | 408 | 413 | 417 | 431

/** Code and message of each refusal. */
export const earlyRefusals = {
  400: { code: 'malformed', message: 'The request could not be read' },
  408: { code: 'too_slow', message: 'The request did not arrive in time' },
  413: { code: 'body_too_large', message: 'The request is too large' },
  417: { code: 'expectation_failed', message: 'This expectation cannot be met' },
  431: { code: 'headers_too_large', message: 'The headers of the request are too large' },
} as const satisfies Record<EarlyStatus, { code: string; message: string }>

type Body = { type: string; text: string }

type Options = {
  log: Pick<FastifyBaseLogger, 'info'>
  /** The headers of every answer of the host. */
  headers: Readonly<Record<string, string>>
  /** The body of a refusal; plain text by default. */
  body?: (status: EarlyStatus, requestId: string) => Body
  limits?: TimeLimits | undefined
}

export type Connections = {
  /** For Fastify: creates the server with time limits, and with complete answers where Node would send a bare one. */
  serverFactory: (listener: RequestListener) => Server
  /** For Fastify, whose own answer lacks the headers: the server already has its listener. */
  clientErrorHandler: () => void
  /** Answers a request that did not arrive in time and ends its connection. */
  late: (request: FastifyRequest) => void
  limits: TimeLimits
}

/**
 * In milliseconds. A connection that is closed with unread bytes is reset, which loses the last answer: so remaining bytes are
 * read for this long.
 */
const lingerMs = 1000

const asText = (status: EarlyStatus): Body => ({
  type: 'text/plain; charset=utf-8',
  text: `${earlyRefusals[status].message}\n`,
})

const statusOf = (code: string | undefined): EarlyStatus => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return 408
  if (code === 'HPE_HEADER_OVERFLOW') return 431
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') return 413
  return 400
}

/** The connections of one host (T-22, F-20): answers that Node gives itself also carry the headers of the host. */
export const createConnections = ({ log, headers, body = asText, limits = timeLimits }: Options): Connections => {
  const answers = new WeakMap<Socket, ServerResponse>()

  const refusal = (status: EarlyStatus) => {
    const requestId = nextRequestId()
    const { type, text } = body(status, requestId)
    log.info({ request_id: requestId, status }, 'a request was refused before it was read')
    return {
      text,
      lines: {
        ...headers,
        'Cache-Control': 'no-store',
        'X-Request-Id': requestId,
        'Content-Type': type,
        'Content-Length': String(Buffer.byteLength(text)),
        Date: new Date().toUTCString(),
        Connection: 'close',
      },
    }
  }

  const end = (socket: Socket, status: EarlyStatus) => {
    const { headersSent = false, writableFinished = true } = answers.get(socket) ?? {}
    // An answer in progress cannot be replaced, and a client that has sent nothing gets no answer.
    if (!socket.writable || (headersSent && !writableFinished) || socket.bytesRead === 0) return socket.destroy()
    const { text, lines } = refusal(status)
    const head = Object.entries(lines).map((pair) => pair.join(': '))
    socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...head, '', text].join('\r\n'))
    setTimeout(() => socket.destroy(), lingerMs).unref()
    return socket
  }

  const serverFactory = (listener: RequestListener): Server => {
    const server = createServer(
      {
        keepAliveTimeout: limits.idle,
        headersTimeout: limits.headers,
        // Limited by `late` below and by the silence limit.
        requestTimeout: 0,
        connectionsCheckingInterval: limits.interval,
        // Node's own answer to a request without a Host header has no security headers: the host refuses it instead.
        requireHostHeader: false,
      },
      listener,
    )
    server.timeout = limits.silence
    server.prependListener('request', (request: IncomingMessage, response) => answers.set(request.socket, response))
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      // Bytes after the refused ones are read and discarded.
      if (socket.writableEnded || !(socket instanceof Socket)) return
      if (error.code === 'ECONNRESET') socket.destroy()
      else end(socket, statusOf(error.code))
    })
    server.on('checkExpectation', (_request, response) => {
      const { text, lines } = refusal(417)
      response.writeHead(417, lines).end(text)
    })
    return server
  }

  const late = ({ raw }: FastifyRequest) => {
    // An injected request has no connection.
    if (raw.socket instanceof Socket) end(raw.socket, 408)
    else raw.destroy()
  }
  return { serverFactory, clientErrorHandler: () => {}, late, limits }
}
