import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type DestinationStream, destination, type Logger, multistream, pino } from 'pino'
import type { Config } from './config'

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

const token = /\b(ses|pat|enr|dvc)_[0-9A-Za-z]{20,}/g
const link = /\/(reset|invites)\/[^/\s"?#\\]+/g
const parameter = /([?&#](?:code|state|token|invite|signature|code_challenge)=)[^&\s"#\\]+/g

/** What a line of the log may not hold, wherever it stands in it (T-09). */
export const masked = (line: string): string =>
  line.replace(token, '$1_[masked]').replace(link, '/$1/[masked]').replace(parameter, '$1[masked]')

export const createLog = (level: Config['logLevel'], to: DestinationStream): Logger =>
  pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '[masked]' },
      hooks: { streamWrite: masked },
    },
    to,
  )

const rotated = (path: string) => {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0
  if (size > ROTATE_AT) renameSync(path, `${path}.1`)
  return path
}

/** Locally everything goes to a file of the data directory and troubles to the terminal as well; elsewhere JSON on standard output. */
export const openLog = (config: Config): Logger => {
  if (config.environment !== 'local') return createLog(config.logLevel, destination(1))
  mkdirSync(config.dataDirectory, { recursive: true, mode: 0o700 })
  const file = destination({ dest: rotated(join(config.dataDirectory, 'teasel.log')), mode: 0o600, sync: true })
  return createLog(
    config.logLevel,
    multistream([
      { level: 'trace', stream: file },
      { level: 'error', stream: destination(2) },
    ]),
  )
}
