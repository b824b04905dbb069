import type { FastifyRequest } from 'fastify'
import { refuse } from './refuse'

/** Probes use the address of a host, not its name. */
const probes = new Set(['/healthz', '/readyz'])

/** T-14: 421 for a request to a name that is not one of this host; 400 for HTTP/1.1 without a name (RFC 9112, 3.2). */
export const checkHost = ({ url, headers: { host }, raw }: FastifyRequest, names: ReadonlySet<string>): void => {
  if (host === undefined && raw.httpVersion === '1.1') refuse(400, 'malformed')
  if (!probes.has(url) && !names.has((host ?? '').toLowerCase()))
    refuse(421, 'unknown_host', { message: 'This host does not serve that host name' })
}
