import { resolve } from 'node:path'
import type { Infer } from 'superstruct'
import { findPublicUrl, isLoopbackOnly } from './loopback'
import { toIdentityProvider } from './identity-provider'
import { type Host, type Limits, readVariables, type Variables } from './variables'

export type { Host } from './variables'

const limitsOf = (read: Infer<typeof Limits>) => ({
  requestsPerMinute: read.TEASEL_LIMIT_REQUESTS_PER_MINUTE,
  signInFailures: read.TEASEL_LIMIT_SIGN_IN_FAILURES,
  signInsPerMinute: read.TEASEL_LIMIT_SIGN_INS_PER_MINUTE,
  mailsPerHour: read.TEASEL_LIMIT_MAILS_PER_HOUR,
  mailsPerDay: read.TEASEL_LIMIT_MAILS_PER_DAY,
  badTokensPerMinute: read.TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE,
  controllerFailuresPerMinute: read.TEASEL_LIMIT_DDI_FAILURES_PER_MINUTE,
  controllerRequestsPerMinute: read.TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE,
  deviceRequestsPerMinute: read.TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE,
  databaseS: read.TEASEL_LIMIT_DATABASE_S,
  passwordHashes: read.TEASEL_LIMIT_PASSWORD_HASHES,
  passwordQueue: read.TEASEL_LIMIT_PASSWORD_QUEUE,
  sessionIdleS: read.TEASEL_SESSION_IDLE_S,
  sessionAbsoluteS: read.TEASEL_SESSION_ABSOLUTE_S,
  freeBytes: read.TEASEL_LIMIT_FREE_BYTES,
  freePercent: read.TEASEL_LIMIT_FREE_PERCENT,
})

export type S3Config = {
  kind: 's3'
  bucket: string
  /** Empty, or with a slash at its end. */
  prefix: string
  /** Absent for Amazon's. */
  endpoint?: string
  region: string
  /** Whether the bucket is in the path of a URL and not in its host name. */
  pathStyle: boolean
  /** Absent if the SDK has to find them: a profile, or the role of the machine. */
  credentials?: { accessKeyId: string; secretAccessKey: string; sessionToken?: string }
}

const credentialsOf = (read: Variables): Pick<S3Config, 'credentials'> => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = read
  if (accessKeyId === undefined && secretAccessKey === undefined) return {}
  if (accessKeyId === undefined) throw new Error('AWS_ACCESS_KEY_ID: set it together with AWS_SECRET_ACCESS_KEY')
  if (secretAccessKey === undefined) throw new Error('AWS_SECRET_ACCESS_KEY: set it together with AWS_ACCESS_KEY_ID')
  return { credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) } }
}

const s3 = (named: string, read: Variables): S3Config => {
  const [, bucket = '', path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]*))?$/.exec(named) ?? []
  if (bucket === '') throw new Error('TEASEL_STORAGE: expected a directory, or s3://bucket/prefix')
  const prefix = path.replace(/\/+$/, '')
  const endpoint = read.TEASEL_S3_ENDPOINT
  return {
    kind: 's3',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    ...(endpoint !== undefined && { endpoint }),
    region: read.AWS_REGION,
    pathStyle: read.TEASEL_S3_PATH_STYLE ?? endpoint !== undefined,
    ...credentialsOf(read),
  }
}

const storageOf = (read: Variables, dataDirectory: string): { kind: 'directory'; path: string } | S3Config => {
  const named = read.TEASEL_STORAGE
  if (named?.startsWith('s3://')) return s3(named, read)
  return { kind: 'directory', path: named === undefined ? resolve(dataDirectory, 'artifacts') : resolve(named) }
}

// Any API process may continue an upload, so unfinished uploads are in the directory that the processes share.
const uploadsOf = (read: Variables, dataDirectory: string): string => {
  const storage = storageOf(read, dataDirectory)
  return read.TEASEL_STORAGE !== undefined && storage.kind === 'directory'
    ? resolve(storage.path, 'uploads')
    : resolve(dataDirectory, 'uploads')
}

const analyticsOf = ({ TEASEL_ANALYTICS_KEY: key, TEASEL_ANALYTICS_HOST: host }: Variables) =>
  key !== undefined && host !== undefined ? { key, host } : undefined

const metricsOf = ({ TEASEL_METRICS_PORT: port, TEASEL_METRICS_BIND: bind }: Variables) =>
  port === undefined
    ? undefined
    : { bind, ports: { api: port, 'sign-in': port + 1, console: port + 2 } satisfies Record<Host, number> }

const tracesOf = ({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: ratio }: Variables) =>
  endpoint === undefined ? undefined : { endpoint, ratio }

const urlsOf = (read: Variables, ports: Record<Host, number>): Record<Host, string> => {
  const urls = {
    console: read.TEASEL_WEB_URL ?? `http://localhost:${ports.console}`,
    api: read.TEASEL_API_URL ?? `http://localhost:${ports.api}`,
    'sign-in': read.TEASEL_SIGN_IN_URL ?? `http://localhost:${ports['sign-in']}`,
  }
  const open = findPublicUrl({ environment: read.TEASEL_ENVIRONMENT, urls })
  if (open === undefined) return urls
  const rule = 'must be staging or production, because the URL of the'
  throw new Error(`TEASEL_ENVIRONMENT: ${rule} ${open} host is neither this machine nor a private network`)
}

const ownerUrlOf = ({ DATABASE_URL: url, DATABASE_OWNER_URL: owner }: Variables) => {
  if (owner !== undefined && url === undefined) throw new Error('DATABASE_OWNER_URL: set DATABASE_URL too, for the hosts')
  return owner
}

const readUrlOf = ({ DATABASE_URL: url, DATABASE_READ_URL: replica }: Variables) => {
  if (replica !== undefined && url === undefined) throw new Error('DATABASE_READ_URL: set DATABASE_URL too, for the primary')
  return replica
}

/** The only reader of environment variables. Throws an Error that names the variable. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env) => {
  const found = readVariables(environment)
  const dataDirectory = resolve(found.TEASEL_DATA_DIR)
  const ports = {
    console: found.TEASEL_WEB_PORT,
    api: found.TEASEL_API_PORT,
    'sign-in': found.TEASEL_SIGN_IN_PORT,
  } satisfies Record<Host, number>
  const urls = urlsOf(found, ports)
  return {
    /** N of scrypt, a power of two (RFC 7914); no variable. A hash takes 376 ms and 128 MiB, so concurrent ones are limited. */
    passwordCost: 2 ** 17,
    environment: found.TEASEL_ENVIRONMENT,
    analytics: analyticsOf(found),
    links: {
      docs: found.TEASEL_LINK_DOCS,
      terminal: found.TEASEL_LINK_TERMINAL,
      community: found.TEASEL_LINK_COMMUNITY,
      feedback: found.TEASEL_LINK_FEEDBACK,
    },
    hosts: found.TEASEL_HOSTS,
    bind: found.TEASEL_BIND,
    ports,
    /** The origins at which browsers and devices reach each host, without a trailing slash. */
    urls,
    /** Whether the hosts are reachable from this machine only. */
    loopbackOnly: isLoopbackOnly({ environment: found.TEASEL_ENVIRONMENT, bind: found.TEASEL_BIND, urls }),
    /** Addresses and networks whose `X-Forwarded-For` is trusted; false if there are none. */
    trustedProxies: found.TEASEL_TRUSTED_PROXIES.length === 0 ? (false as const) : found.TEASEL_TRUSTED_PROXIES,
    /** Further names of the API host, for DDI only. */
    ddiHosts: found.TEASEL_DDI_HOSTS,
    /** Addresses and networks of the proxies whose headers name a DDI client by its verified certificate. */
    ddiTrustedProxies: found.TEASEL_DDI_TRUSTED_PROXIES,
    /** Private addresses and networks that webhooks may send to. */
    webhookAllow: found.TEASEL_WEBHOOK_ALLOW,
    dataDirectory,
    databaseUrl: found.DATABASE_URL,
    databaseOwnerUrl: ownerUrlOf(found),
    databaseReadUrl: readUrlOf(found),
    storage: storageOf(found, dataDirectory),
    uploadsDirectory: uploadsOf(found, dataDirectory),
    secretKey: found.TEASEL_SECRET_KEY,
    /** The identity provider of company sign-in. */
    identityProvider: toIdentityProvider(found),
    /** Off: people sign in with the identity provider only. */
    passwordSignIn: found.TEASEL_PASSWORD_SIGN_IN,
    smtpUrl: found.SMTP_URL,
    stripeWebhookSecret: found.STRIPE_WEBHOOK_SECRET,
    billing: {
      secretKey: found.STRIPE_SECRET_KEY,
      price: found.TEASEL_BILLING_PRICE,
      portal: found.TEASEL_BILLING_PORTAL,
    },
    limits: limitsOf(found),
    /** Each host has its own listener for metrics, because each is a process; undefined without. */
    metrics: metricsOf(found),
    /** Where traces are sent; undefined without. */
    traces: tracesOf(found),
    logLevel: found.TEASEL_LOG_LEVEL,
    drainMs: (found.TEASEL_DRAIN_S ?? (found.TEASEL_ENVIRONMENT === 'local' ? 0 : 5)) * 1000,
    demo: !found.TEASEL_EMPTY,
  }
}

export type Config = ReturnType<typeof readConfig>
