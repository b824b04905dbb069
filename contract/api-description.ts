import { endpoint, publicAccess } from './core/endpoint'

export const apiDescription = endpoint({
  method: 'GET',
  path: '/openapi.json',
  summary: 'Get this description of the API, as OpenAPI 3.1.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})
