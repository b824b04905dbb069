import { isIP } from 'node:net'
import { coerce, defaulted, define, type Infer, is, object, optional, record, string, type, validate } from 'superstruct'
import { BaseRole } from '../../contract/core/roles'
import { loopbackHosts } from './loopback'

/** In the order in which they are printed. */
export const hosts = ['console', 'sign-in', 'api'] as const
export type Host = (typeof hosts)[number]
const environments = ['local', 'staging', 'production'] as const
const levels = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const

const rule = <T>(expected: string, accepts: (value: unknown) => boolean) =>
  define<T>(expected, (value) => accepts(value) || `expected ${expected}`)

const oneOf = <T extends string>(values: readonly T[]) =>
  rule<T>(`one of ${values.join(', ')}`, (value) => values.some((it) => it === value))

const whole = (least: number, most: number) =>
  coerce(
    rule<number>(
      `a whole number from ${least} to ${most}`,
      (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    ),
    string(),
    (text) => (text.trim() === '' ? Number.NaN : Number(text)),
  )

const fraction = coerce(
  rule<number>('a number from 0 to 1', (value) => Number(value) >= 0 && Number(value) <= 1),
  string(),
  (text) => (text.trim() === '' ? Number.NaN : Number(text)),
)

const hostList = coerce(
  rule<Host[]>(
    `a comma-separated list of ${hosts.join(', ')}`,
    (value) => Array.isArray(value) && value.length > 0 && value.every((it) => hosts.includes(it)),
  ),
  string(),
  (text) => text.split(',').map((it) => it.trim()),
)

const isNetwork = (value: string) => {
  const [address = '', bits, ...more] = value.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128))
}
const networks = coerce(
  rule<string[]>(
    'a comma-separated list of addresses or networks such as 10.0.0.2, 10.0.0.0/24',
    (value) => Array.isArray(value) && value.every(isNetwork),
  ),
  string(),
  (text) => text.split(',').map((it) => it.trim()),
)

const hostNames = coerce(
  rule<string[]>(
    'a comma-separated list of host names such as hawkbit.example.com, hawkbit.example.com:8443',
    (value) => Array.isArray(value) && value.every((name) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(String(name))),
  ),
  string(),
  (text) => text.split(',').map((it) => it.trim().toLowerCase()),
)

const isUrl = (value: unknown, protocols: string[]) =>
  typeof value === 'string' && URL.canParse(value) && protocols.includes(new URL(value).protocol)

const origin = rule<string>(
  'an origin such as https://console.example.com',
  (value) => isUrl(value, ['http:', 'https:']) && new URL(String(value)).origin === value,
)
const httpUrl = rule<string>('a URL such as https://billing.example.com/p/login', (value) => isUrl(value, ['http:', 'https:']))
const postgresUrl = rule<string>('a URL such as postgres://user:password@host:5432/name', (value) =>
  isUrl(value, ['postgres:', 'postgresql:']),
)
const issuer = rule<string>(
  'an https URL such as https://login.example.com/realms/staff, without a query (http only on this machine)',
  (value) => {
    if (!isUrl(value, ['http:', 'https:'])) return false
    const { protocol, hostname, search, hash, username } = new URL(String(value))
    return (protocol === 'https:' || loopbackHosts.includes(hostname)) && search + hash + username === ''
  },
)
const mailDomains = coerce(
  rule<string[]>(
    'a comma-separated list of mail domains such as example.com, example.org',
    (value) => Array.isArray(value) && value.every((name) => /^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(String(name))),
  ),
  string(),
  (text) => text.split(',').map((it) => it.trim().toLowerCase()),
)
const GroupRoles = record(string(), object({ organization: string(), role: BaseRole }))
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
const groupRoles = coerce(
  rule<Infer<typeof GroupRoles>>(
    'JSON such as {"engineers": {"organization": "<id in the address of its pages>", "role": "developer"}}',
    (value) => is(value, GroupRoles),
  ),
  string(),
  parseJson,
)
const onOff = coerce(
  rule<boolean>('on or off', (value) => typeof value === 'boolean'),
  string(),
  (text) => ({ off: false, on: true })[text] ?? text,
)
const secretKey = rule<string>(
  '32 bytes in base64, as `openssl rand -base64 32` prints them',
  (value) => typeof value === 'string' && /^[A-Za-z0-9+/]{43}=$/.test(value),
)
const smtpUrl = rule<string>('a URL such as smtps://user:password@host', (value) => isUrl(value, ['smtp:', 'smtps:']))
const flag = coerce(
  rule<boolean>('0 or 1', (value) => typeof value === 'boolean'),
  string(),
  (text) => ({ 0: false, 1: true })[text] ?? text,
)

export const Limits = type({
  /** Requests of one session in a minute. */
  TEASEL_LIMIT_REQUESTS_PER_MINUTE: defaulted(whole(1, 1e9), 600),
  /** Failures of one pair of account and address in 15 minutes. */
  TEASEL_LIMIT_SIGN_IN_FAILURES: defaulted(whole(1, 1e9), 5),
  TEASEL_LIMIT_SIGN_INS_PER_MINUTE: defaulted(whole(1, 1e9), 30),
  /** Mails that others can cause, to one recipient. */
  TEASEL_LIMIT_MAILS_PER_HOUR: defaulted(whole(1, 1e9), 5),
  TEASEL_LIMIT_MAILS_PER_DAY: defaulted(whole(1, 1e9), 20),
  /** Invalid session and device tokens, from one address at one API process. */
  TEASEL_LIMIT_BAD_TOKENS_PER_MINUTE: defaulted(whole(1, 1e9), 300),
  TEASEL_LIMIT_DEVICE_REQUESTS_PER_MINUTE: defaulted(whole(1, 1e9), 120),
  /** Failed authentications of DDI clients from one address at one API process, and requests of one of them for its work. */
  TEASEL_LIMIT_DDI_FAILURES_PER_MINUTE: defaulted(whole(1, 1e9), 120),
  TEASEL_LIMIT_DDI_REQUESTS_PER_MINUTE: defaulted(whole(1, 1e9), 240),
  /** F-21: seconds of one statement, and of the wait for a connection to the database; then a request gets 503. */
  TEASEL_LIMIT_DATABASE_S: defaulted(whole(1, 600), 5),
  TEASEL_LIMIT_PASSWORD_HASHES: defaulted(whole(1, 64), 2),
  TEASEL_LIMIT_PASSWORD_QUEUE: defaulted(whole(0, 10_000), 20),
  /** Idle limit, sliding: 12 hours; the absolute limit is 14 days. */
  TEASEL_SESSION_IDLE_S: defaulted(whole(60, 86_400), 43_200),
  TEASEL_SESSION_ABSOLUTE_S: defaulted(whole(60, 31_536_000), 1_209_600),
  /** F-19: below the larger of both, large writes are refused. The percentage is of the whole file system. */
  TEASEL_LIMIT_FREE_BYTES: defaulted(whole(0, Number.MAX_SAFE_INTEGER), 536_870_912),
  TEASEL_LIMIT_FREE_PERCENT: defaulted(whole(0, 50), 5),
})

const Variables = type({
  ...Limits.schema,
  TEASEL_ENVIRONMENT: defaulted(oneOf(environments), 'local'),
  TEASEL_HOSTS: defaulted(hostList, [...hosts]),
  TEASEL_BIND: defaulted(string(), '127.0.0.1'),
  TEASEL_WEB_PORT: defaulted(whole(1, 65_535), 5173),
  TEASEL_API_PORT: defaulted(whole(1, 65_535), 8080),
  TEASEL_SIGN_IN_PORT: defaulted(whole(1, 65_535), 3000),
  /** Trusted proxies in front of the hosts. A network of length 0 would trust everyone and is refused. */
  TEASEL_TRUSTED_PROXIES: defaulted(networks, []),
  /** Proxies that verify client certificates of DDI clients and name them in headers. */
  TEASEL_DDI_TRUSTED_PROXIES: defaulted(networks, []),
  /** Host names at which the API host serves only DDI, such as that of a former hawkBit server. */
  TEASEL_DDI_HOSTS: defaulted(hostNames, []),
  /** Private addresses and networks that webhooks may send to. */
  TEASEL_WEBHOOK_ALLOW: defaulted(networks, []),
  TEASEL_WEB_URL: optional(origin),
  TEASEL_API_URL: optional(origin),
  TEASEL_SIGN_IN_URL: optional(origin),
  TEASEL_DATA_DIR: defaulted(string(), './data'),
  DATABASE_URL: optional(postgresUrl),
  /** The same database as the owner of its tables: for migrations and retention. No host process gets it. */
  DATABASE_OWNER_URL: optional(postgresUrl),
  /** A replica of the same database, for reads that bear a lag. */
  DATABASE_READ_URL: optional(postgresUrl),
  /** A directory, or `s3://bucket/prefix` with the settings below. */
  TEASEL_STORAGE: optional(string()),
  TEASEL_S3_ENDPOINT: optional(origin),
  TEASEL_S3_PATH_STYLE: optional(flag),
  AWS_REGION: defaulted(string(), 'us-east-1'),
  AWS_ACCESS_KEY_ID: optional(string()),
  AWS_SECRET_ACCESS_KEY: optional(string()),
  AWS_SESSION_TOKEN: optional(string()),
  /** 32 random bytes that are not in the database: encrypts the secrets of second factors. */
  TEASEL_SECRET_KEY: optional(secretKey),
  /** Sign-in with the accounts of an identity provider (OpenID Connect). */
  TEASEL_OIDC_ISSUER: optional(issuer),
  TEASEL_OIDC_CLIENT_ID: optional(string()),
  TEASEL_OIDC_CLIENT_SECRET: optional(string()),
  /** The name on the button: "Continue with …". */
  TEASEL_OIDC_NAME: optional(
    rule<string>('a name of 1 to 40 characters', (value) => typeof value === 'string' && [...value.trim()].length <= 40),
  ),
  TEASEL_OIDC_DOMAINS: optional(mailDomains),
  TEASEL_OIDC_GROUP_CLAIM: optional(string()),
  TEASEL_OIDC_GROUP_ROLES: optional(groupRoles),
  TEASEL_PASSWORD_SIGN_IN: defaulted(onOff, true),
  SMTP_URL: optional(smtpUrl),
  STRIPE_WEBHOOK_SECRET: optional(string()),
  STRIPE_SECRET_KEY: optional(string()),
  /** Replaces the price of the environment (§9). */
  TEASEL_BILLING_PRICE: optional(string()),
  TEASEL_BILLING_PORTAL: optional(httpUrl),
  TEASEL_LOG_LEVEL: defaulted(oneOf(levels), 'info'),
  TEASEL_EMPTY: defaulted(flag, false),
  /** Targets of the header's links (§1). A link without an address is not shown. */
  TEASEL_LINK_DOCS: optional(httpUrl),
  TEASEL_LINK_TERMINAL: optional(httpUrl),
  TEASEL_LINK_COMMUNITY: optional(httpUrl),
  TEASEL_LINK_FEEDBACK: optional(httpUrl),
  /** How long a closing host answers that it is not ready but still serves, before it stops listening. */
  TEASEL_DRAIN_S: optional(whole(0, 300)),
  /** Metrics for operators: the API host listens here, sign-in at the next port, console at the one after. */
  TEASEL_METRICS_PORT: optional(whole(1, 65_533)),
  TEASEL_METRICS_BIND: defaulted(string(), '127.0.0.1'),
  /** Traces are sent to this OpenTelemetry collector; the names are those of OpenTelemetry. */
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  /** The part of the traces that begin here which is sent. */
  OTEL_TRACES_SAMPLER_ARG: defaulted(fraction, 1),
  /** Product analytics are off without a key and a host (T-26). */
  TEASEL_ANALYTICS_KEY: optional(string()),
  TEASEL_ANALYTICS_HOST: optional(origin),
})

export type Variables = Infer<typeof Variables>

const set = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''))

/** The environment variables, validated and with their defaults. Throws an Error that names the variable. */
export const readVariables = (environment: NodeJS.ProcessEnv): Variables => {
  const [error, variables] = validate(set(environment), Variables, { coerce: true })
  if (variables) return variables
  const [failure] = error.failures()
  // The message leaves the value out: it may hold a password.
  throw new Error(`${String(failure?.path[0])}: ${failure?.message}`)
}
