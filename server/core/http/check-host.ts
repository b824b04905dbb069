import type { FastifyRequest } from 'fastify'
import { refuse } from './refuse'

/** Load balancers and orchestrators call these paths by IP address. */
const probePaths = new Set(['/healthz', '/readyz'])

/** Refuses a request whose Host header is not a name of this server: DNS rebinding (T-14). 400 without the header (RFC 9112, 3.2). */
export const checkHost = ({ url, headers: { host }, raw }: FastifyRequest, names: ReadonlySet<string>): void => {
  if (host === undefined && raw.httpVersion === '1.1') refuse(400, 'malformed')
  if (!probePaths.has(url) && !names.has((host ?? '').toLowerCase()))
    refuse(421, 'unknown_host', { message: 'This host does not serve that host name' })
}
