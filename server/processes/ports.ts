import { createServer } from 'node:net'
import type { Config, Host } from '../core/config'

type Port = { name: string; port: number; variable: string }

const variables = { console: 'TEASEL_WEB_PORT', api: 'TEASEL_API_PORT', 'sign-in': 'TEASEL_SIGN_IN_PORT' } satisfies Record<
  Host,
  string
>

export const portOf = ({ ports }: Config, host: Host): Port => ({
  name: `of the ${host} host`,
  port: ports[host],
  variable: variables[host],
})

/** The port for the metrics of a host; 0 without. */
export const metricsPortOf = ({ metrics }: Config, host: Host): Port => ({
  name: `for the metrics of the ${host} host`,
  port: metrics?.ports[host] ?? 0,
  variable: 'TEASEL_METRICS_PORT',
})

/** An error that names the variable which changes a port that is taken or forbidden. */
export const portError = (error: NodeJS.ErrnoException, { name, port, variable }: Port): Error => {
  const trouble = { EADDRINUSE: 'is taken', EACCES: 'is not allowed for this user' }[error.code ?? '']
  return trouble === undefined ? error : new Error(`Port ${port} ${name} ${trouble}. Name another one in ${variable}.`)
}

const probe = (port: Port, bind: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error) => reject(portError(error, port)))
    server.listen(port.port, bind, () => server.close(() => resolve()))
  })

/** Fails early, before slow work, if a port is taken. */
export const probePorts = async (config: Config): Promise<void> => {
  for (const host of config.hosts) {
    await probe(portOf(config, host), config.bind)
    if (config.metrics) await probe(metricsPortOf(config, host), config.metrics.bind)
  }
}
