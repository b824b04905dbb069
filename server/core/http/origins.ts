import type { Config, Host } from '../config'
import { isLoopback, loopbackHosts } from '../loopback'

// product.md 4.14: a machine that only talks to itself goes by three names.
const twins = (config: Config, url: string) => {
  const { protocol, port, hostname } = new URL(url)
  if (!isLoopback(config.bind) || !loopbackHosts.includes(hostname)) return []
  return loopbackHosts.map((name) => new URL(`${protocol}//${name}:${port}`))
}

/** The `Host` headers a host answers to. Others are refused (T-14). */
export const allowedHosts = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.host))

/** The origins of a host, scheme included. */
export const originsOf = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.origin))

/** The console's origins: the exact allow-list of CORS and of sign-in's redirects. */
export const consoleOrigins = (config: Config): Set<string> => originsOf(config, 'console')

/** Two years, with all names below the host's own. Only answered where TLS is to be expected. */
export const strictTransport = { 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
