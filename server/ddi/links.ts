import type { FastifyRequest } from 'fastify'
import type { Endpoint, ParamsOf } from '../../contract/core/endpoint'
import type { Config } from '../core/config'

type Params = ParamsOf<{ path: '/:tenant/controller/v1/:controllerId' }>

/** The address of a resource of the caller, at the host by which it called. */
export const linkTo =
  ({ urls }: Config, request: FastifyRequest, { tenant, controllerId }: Params) =>
  ({ path }: Pick<Endpoint, 'path'>, params: Readonly<Record<string, string>> = {}): string => {
    const host = request.headers.host ?? new URL(urls.api).host
    const api = new URL(urls.api)
    // A proxy that is not configured as trusted may have ended the TLS connection.
    const scheme = host.split(':')[0] === api.hostname ? api.protocol : `${request.protocol}:`
    // Old clients of Zephyr look for the tenant as they write it.
    const values: Readonly<Record<string, string>> = {
      ...params,
      tenant: tenant === 'default' ? 'DEFAULT' : tenant,
      controllerId,
    }
    return `${scheme}//${host}${path.replace(/:(\w+)/g, (_, name: string) => encodeURI(values[name] ?? ''))}`
  }

export type LinkTo = ReturnType<typeof linkTo>
