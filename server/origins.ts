import type { Config, Host } from './config'

const loopback = ['localhost', '127.0.0.1', '[::1]']

export const isLoopback = (bind: string) => ['localhost', '127.0.0.1', '::1'].includes(bind)

// product.md 4.14: a machine that only talks to itself goes by three names.
const twins = (config: Config, url: string) => {
  const { protocol, port, hostname } = new URL(url)
  if (!isLoopback(config.bind) || !loopback.includes(hostname)) return []
  return loopback.map((name) => new URL(`${protocol}//${name}:${port}`))
}

/** The `Host` headers a host answers to. Others are refused (T-14). */
export const allowedHosts = (config: Config, host: Host): Set<string> =>
  new Set([new URL(config.urls[host]), ...twins(config, config.urls[host])].map((url) => url.host))

/** The console's origins: the exact allow-list of CORS and of sign-in's redirects. */
export const consoleOrigins = (config: Config): Set<string> =>
  new Set([new URL(config.urls.console), ...twins(config, config.urls.console)].map((url) => url.origin))
