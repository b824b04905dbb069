import type { Config, Host } from '../config'
import { isLoopback, loopbackHosts } from '../loopback'

// A loopback installation is reachable by three names.
const twins = (config: Config, url: string) => {
  const { protocol, port, hostname } = new URL(url)
  if (!isLoopback(config.bind) || !loopbackHosts.includes(hostname)) return []
  return loopbackHosts.map((name) => new URL(`${protocol}//${name}:${port}`))
}

/** The `Host` headers that a host accepts; others are refused (T-14). Some clients also name the default port of the scheme. */
export const allowedHosts = (config: Config, host: Host): Set<string> =>
  new Set(
    [new URL(config.urls[host]), ...twins(config, config.urls[host])].flatMap(({ host: name, port, protocol }) =>
      port === '' ? [name, `${name}:${protocol === 'https:' ? 443 : 80}`] : [name],
    ),
  )

/** The host names at which only DDI is served, with and without a default port. */
export const ddiHosts = ({ ddiHosts: names }: Config): Set<string> =>
  new Set(names.flatMap((name) => (name.includes(':') ? [name] : [name, `${name}:80`, `${name}:443`])))

/** The origins of a host, scheme included. */
export const originsOf = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.origin))

/** The console's origins: the exact allow-list of CORS and of sign-in's redirects. */
export const consoleOrigins = (config: Config): Set<string> => originsOf(config, 'console')

/** Two years, with all subdomains. Only sent where TLS is expected. */
export const strictTransport = { 'Strict-Transport-Security': 'max-age=63072000; includeSubDomains' }
