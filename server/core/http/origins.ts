import type { Config, Host } from '../config'
import { isLoopback, loopbackHosts } from '../loopback'

// A loopback installation is reachable by three names.
const twins = (config: Config, url: string) => {
  const { protocol, port, hostname } = new URL(url)
  if (!isLoopback(config.bind) || !loopbackHosts.includes(hostname)) return []
  return loopbackHosts.map((name) => new URL(`${protocol}//${name}:${port}`))
}

/** The `Host` headers that a host accepts; others are refused (T-14). */
export const allowedHosts = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.host))

/** The origins of a host, scheme included. */
export const originsOf = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.origin))

/** The console's origins: the exact allow-list of CORS and of sign-in's redirects. */
export const consoleOrigins = (config: Config): Set<string> => originsOf(config, 'console')

/** Two years, with all subdomains. Only sent where TLS is expected. */
export const strictTransport = { 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
