import { createHash } from 'node:crypto'
import { apiDescription } from '../../../contract/api-description'
import { createDocument } from '../../../contract/openapi/document'
import type { Api } from './api'
import { route } from './route'

/** The description of the API for other programs. Made at the first request, because few ask for it. */
export const apiDescriptionRoutes = (api: Api): void => {
  let made: { text: string; etag: string } | undefined
  const describe = () => {
    const text = JSON.stringify(createDocument(api.deps.config.urls.api))
    made = { text, etag: `"sha256-${createHash('sha256').update(text).digest('hex')}"` }
    return made
  }

  route(api, apiDescription, ({ request, reply }) => {
    const { text, etag } = made ?? describe()
    reply.headers({
      ETag: etag,
      'Cache-Control': 'public, max-age=0, must-revalidate',
      'Content-Type': 'application/json; charset=utf-8',
    })
    if (request.headers['if-none-match'] !== etag) return text
    reply.code(304)
    return undefined
  })
}
