import type { FastifyRequest } from 'fastify'
import { refuse } from './refuse'

/** Load balancers and orchestrators call these paths by IP address. */
const probePaths = new Set(['/healthz', '/readyz'])

/** Which of them counts differs between proxies and servers. */
export const hasSeveralHosts = ({ raw: { rawHeaders } }: Pick<FastifyRequest, 'raw'>): boolean =>
  rawHeaders.filter((text, n) => n % 2 === 0 && text.length === 4 && text.toLowerCase() === 'host').length > 1

/** Refuses a request whose Host header is not a name of this server: DNS rebinding (T-14). 400 without the header, or with several (RFC 9112, 3.2). */
export const checkHost = (request: FastifyRequest, names: ReadonlySet<string>): void => {
  const { url, raw } = request
  const { host } = request.headers
  if ((host === undefined && raw.httpVersion === '1.1') || hasSeveralHosts(request)) refuse(400, 'malformed')
  if (!probePaths.has(url) && !names.has((host ?? '').toLowerCase()))
    refuse(421, 'unknown_host', { message: 'This host does not serve that host name' })
}
