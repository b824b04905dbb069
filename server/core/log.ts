import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type DestinationStream, destination, type Logger, multistream, pino } from 'pino'
import type { Config } from './config'
import { traceFields } from './tracing/trace'
import { openLogFile } from './log-file'

export type { Logger } from 'pino'

const ROTATE_AT = 32 * 1024 * 1024

const headers = ['authorization', 'cookie', '["set-cookie"]', '["x-session-token"]']
const fields = ['password', 'current_password', 'new_password', 'code', 'code_verifier', 'session_token', 'token', 'secret']
const redacted = [
  ...headers.flatMap((name) =>
    name.startsWith('[') ? [`headers${name}`, `*.headers${name}`] : [`headers.${name}`, `*.headers.${name}`],
  ),
  ...fields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
]

const token = /\b(ses|pat|enr|ens|dvc|dvs)_[0-9A-Za-z]{20,}/g
const link = /\/(reset|invites|signup|email)\/[^/\s"?#\\]+/g
const parameter = /([?&#](?:code|state|token|invite|mail|signature|code_challenge)=)[^&\s"#\\]+/g

/** Masks secrets anywhere in a log line (T-09). */
const masked = (line: string): string =>
  line.replace(token, '$1_[masked]').replace(link, '/$1/[masked]').replace(parameter, '$1[masked]')

const facts = ['code', 'statusCode', 'syscall', 'address', 'port', 'path', 'severity', 'table', 'column', 'constraint'] as const

// `code` is always masked: it may be a sign-in code.
const names: Readonly<Record<string, string>> = { code: 'error_code' }

// Drizzle quotes the parameter values of a failed statement.
const withoutValues = (text: string) => text.replace(/\nparams: [\s\S]*?(?=\n {4}at |$)/, '')

/**
 * The logged facts of an error. Libraries attach more to theirs (the pool its client, with the password and the key that
 * cancels queries), so only these are logged.
 */
const errorFacts = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error
  const { name, message, stack, cause } = error
  const more = facts.flatMap((fact) => {
    const value: unknown = Reflect.get(error, fact)
    return typeof value === 'string' || typeof value === 'number' ? [[names[fact] ?? fact, value]] : []
  })
  return {
    type: name,
    message: withoutValues(message),
    stack: withoutValues(stack ?? ''),
    ...Object.fromEntries(more),
    ...(cause !== undefined && { cause: errorFacts(cause) }),
    ...(error instanceof AggregateError && { errors: error.errors.map(errorFacts) }),
  }
}

export const createLog = (level: Config['logLevel'], to: DestinationStream): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: errorFacts },
      redact: { paths: redacted, censor: '[masked]' },
      mixin: traceFields,
      hooks: { streamWrite: masked },
    },
    to,
  )

const lostLines = (count: number, reason: string) =>
  `${JSON.stringify({ level: 50, time: new Date().toISOString(), lost: count, reason, msg: 'lines of this log were lost' })}\n`

/** Standard output or error. Lines without a reader, or that a full disk refuses, are dropped without an error. */
const openStandard = (fd: 1 | 2): DestinationStream => destination({ fd, maxLength: 1024 * 1024 }).on('error', () => {})

/**
 * In the local environment everything goes to a file of the data directory, and warnings and errors also to the terminal;
 * elsewhere JSON goes to standard output.
 */
export const openLogStream = (config: Config): DestinationStream => {
  if (config.environment !== 'local') return openStandard(1)
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 })
  const file = openLogFile(join(config.dataDirectory, 'teasel.log'), { rotateAt: ROTATE_AT, lost: lostLines })
  return multistream([
    { level: 'trace', stream: file },
    { level: 'error', stream: openStandard(2) },
  ])
}

/** The log of a host's process: JSON lines on standard output, which the parent process writes to its log. */
export const openHostLog = (config: Config): Logger => createLog(config.logLevel, destination(1))

/** Writes a line of a host's log to this process's log. */
export const forwardLine = (to: DestinationStream, line: string): void => {
  // pino sets this on its streams before it writes.
  if ('lastLevel' in to) to.lastLevel = Number(/^\{"level":(\d+)/.exec(line)?.[1] ?? 30)
  to.write(`${line}\n`)
}
