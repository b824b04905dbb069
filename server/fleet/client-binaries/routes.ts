import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as contract from '../../../contract/fleet/client-binaries'
import type { Api } from '../../core/http/api'
import { notFound } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { openPrograms, type Program, clientBinaryToJson } from './binaries'

const bytesOf = (programs: Program[], fileName: string) => {
  const program = programs.find((one) => fileName === one.fileName || fileName === `${one.fileName}.sig`)
  return fileName.endsWith('.sig') ? program?.signed?.bytes : program?.bytes
}

/** Sends an attachment with its hash as ETag; a new build may replace the content under this name. */
const send = (request: FastifyRequest, reply: FastifyReply, fileName: string, bytes: Buffer) => {
  const digest = createHash('sha256').update(bytes).digest()
  const etag = `"sha256-${digest.toString('hex')}"`
  reply.headers({
    ETag: etag,
    'Cache-Control': 'no-cache',
    'Content-Type': fileName.endsWith('.sig') ? 'application/octet-stream' : 'text/javascript; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName}"`,
    'Repr-Digest': `sha-256=:${digest.toString('base64')}:`,
  })
  if (request.headers['if-none-match'] !== etag) return bytes
  reply.code(304)
  return undefined
}

export const clientBinaryRoutes = (api: Api): void => {
  const programs = openPrograms(api.deps)

  route(api, contract.clientBinaries, async ({ deps }) => ({
    client_binaries: (await programs()).map((program) => clientBinaryToJson(program, deps.config.urls.api)),
  }))

  route(api, contract.downloadClientBinary, async ({ params, request, reply }) =>
    send(request, reply, params.fileName, bytesOf(await programs(), params.fileName) ?? notFound()),
  )
}
