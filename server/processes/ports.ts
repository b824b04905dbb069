import { createServer } from 'node:net'
import type { Config, Host } from '../core/config'

const variables = { console: 'TEASEL_WEB_PORT', api: 'TEASEL_API_PORT', 'sign-in': 'TEASEL_SIGN_IN_PORT' } satisfies Record<
  Host,
  string
>

/** An error that names the variable which changes a port that is taken or forbidden. */
export const portError = (error: NodeJS.ErrnoException, host: Host, port: number): Error => {
  const trouble = { EADDRINUSE: 'is taken', EACCES: 'is not allowed for this user' }[error.code ?? '']
  return trouble === undefined
    ? error
    : new Error(`Port ${port} of the ${host} host ${trouble}. Name another one in ${variables[host]}.`)
}

/** Fails early, before slow work, if a port is taken. */
export const probePort = (config: Config, host: Host): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', (error) => reject(portError(error, host, config.ports[host])))
    server.listen(config.ports[host], config.bind, () => server.close(() => resolve()))
  })
