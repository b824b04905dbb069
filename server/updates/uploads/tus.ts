import { ERRORS, Server } from '@tus/server'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { maxUploadBytes } from '../../../contract/core/limits'
import type { Deps } from '../../core/deps'
import { isDiskFull } from '../../core/http/database-errors'
import { Refusal, refuse, type RefusalStatus } from '../../core/http/refuse'
import type { Body } from './body'
import { UploadStore } from './data-store'
import type { Hashes } from './hashes'
import type { UploadRow } from './repository'
import { AdvisoryLocker } from './locker'

export type Tus = {
  handle: (
    request: FastifyRequest,
    reply: FastifyReply,
    body: unknown,
  ) => Promise<{ response: Response; upload: UploadRow | undefined }>
  close: () => Promise<void>
}

const told = ['tus-resumable', 'upload-offset', 'upload-length', 'upload-expires', 'upload-metadata']

const codes: Record<number, [RefusalStatus, string]> = {
  400: [400, 'malformed'],
  403: [400, 'malformed'],
  404: [404, 'not_found'],
  409: [409, 'offset_conflict'],
  410: [410, 'upload_ended'],
  412: [400, 'malformed'],
  413: [413, 'file_too_large'],
  415: [415, 'unsupported_media_type'],
  423: [423, 'upload_busy'],
  507: [507, 'no_space'],
}

/** Converts the protocol's refusals to the common error JSON. */
const refuseAs = async (response: Response) => {
  const [status, code] = codes[response.status] ?? [500, 'internal']
  const message = (await response.text()).trim()
  const known = status !== 500 && status !== 404 && message !== ''
  return refuse(status, code, { ...(known && { message }), ...(status === 423 && { retryAfterS: 1 }) })
}

const webRequest = (request: FastifyRequest): Request => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) if (typeof value === 'string') headers.set(name, value)
  return new Request(`http://${request.headers.host ?? 'localhost'}${request.url}`, { method: request.method, headers })
}

/** tus 1.0 with this server's store and locks. The API creates uploads itself: by then the row and its rights are checked. */
export const openTus = (deps: Deps, hashes: Hashes): Tus => {
  const locker = new AdvisoryLocker(deps.pool, deps.log)
  // One for each request, because its store reads the body of that request.
  const serverOf = (body: Body) =>
    new Server({
      path: '/uploads',
      datastore: new UploadStore(deps, hashes, body),
      locker: {
        newLock: (id) => {
          const own = locker.newLock(id)
          return {
            lock: (signal, cancel) => {
              body.signal = signal
              return own.lock(signal, cancel)
            },
            unlock: () => own.unlock(),
          }
        },
      },
      maxSize: maxUploadBytes,
      relativeLocation: true,
      lockDrainTimeout: 1000,
      onResponseError: (_request, error) => {
        if ('status_code' in error) return undefined
        if (error instanceof Refusal) return { status_code: error.status, body: error.message }
        if (isDiskFull(error)) return { status_code: 507, body: '' }
        deps.log.error({ err: error }, 'an upload failed')
        return { status_code: ERRORS.UNKNOWN_ERROR.status_code, body: ERRORS.UNKNOWN_ERROR.body }
      },
    })
  return {
    handle: async (request, reply, stream) => {
      const body: Body = { stream }
      const response = await serverOf(body).handleWeb(webRequest(request))
      reply.header('Tus-Resumable', '1.0.0')
      if (response.status >= 400) return refuseAs(response)
      for (const name of told) if (response.headers.has(name)) reply.header(name, response.headers.get(name))
      reply.code(response.status)
      return { response, upload: body.upload }
    },
    close: () => locker.close(),
  }
}
