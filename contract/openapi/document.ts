import * as ddi from '../ddi/endpoints'
import * as device from '../device/endpoints'
import { type AnyStruct, type Endpoint, takesAccessToken } from '../core/endpoint'
import { endpoints } from '../endpoints'
import { ErrorBody } from '../core/errors'
import { sessionHeader } from '../accounts/sessions'
import { type JsonSchema, toJsonSchema } from './json-schema'
import { samples } from './samples'

type Json = { readonly [name: string]: unknown }

const schemes = {
  session: {
    type: 'apiKey',
    in: 'header',
    name: sessionHeader,
    description: 'The session of a person who signed in to the console.',
  },
  accessToken: { type: 'http', scheme: 'bearer', description: 'An access token of a project: pat_….' },
  deviceToken: { type: 'http', scheme: 'bearer', description: 'The token of one device: dvc_….' },
  enrollmentToken: { type: 'http', scheme: 'bearer', description: 'A token that admits new devices: enr_….' },
  controller: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'TargetToken, GatewayToken or Bearer with the token of a device or gateway, as hawkBit clients send it.',
  },
} as const

const securityOf = (endpoint: Endpoint): Json[] => {
  const { kind } = endpoint.needs
  if (kind === 'public') return [{}]
  if (kind === 'device') return [{ deviceToken: [] }]
  if (kind === 'enrollment') return [{ enrollmentToken: [] }]
  if (kind === 'controller') return [{ controller: [] }]
  if (kind === 'access_token') return [{ accessToken: [] }]
  return [{ session: [] }, ...(takesAccessToken(endpoint) ? [{ accessToken: [] }] : [])]
}

const permissionsOf = ({ needs }: Endpoint): readonly string[] =>
  needs.kind === 'permission' ? needs.all : needs.kind === 'self' ? [...(needs.or ?? []), ...(needs.and ?? [])] : []

const pathParameters = ({ path }: Endpoint): Json[] =>
  [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))

const queryParameters = ({ query }: Endpoint): Json[] => {
  if (!query) return []
  const { properties = {}, required = [] } = toJsonSchema(query) as { properties?: Json; required?: string[] }
  return Object.entries(properties).map(([name, schema]) => ({ name, in: 'query', required: required.includes(name), schema }))
}

const text = { type: 'string' } as const
const headerParameters = ({ conditional, method, accepts }: Endpoint): Json[] => [
  ...(conditional
    ? [{ name: 'If-Match', in: 'header', required: true, schema: text, description: 'The revision that is changed, as "3".' }]
    : []),
  ...(['POST', 'PATCH', 'PUT', 'DELETE'].includes(method) && accepts !== 'bytes'
    ? [
        {
          name: 'Idempotency-Key',
          in: 'header',
          required: false,
          schema: { type: 'string', minLength: 1, maxLength: 128 },
          description: 'The same key with the same request gets the answer of the first one, for 24 hours.',
        },
      ]
    : []),
]

const binary: JsonSchema = { type: 'string', format: 'binary' }

const bodyTypes: Readonly<Record<NonNullable<Endpoint['accepts']>, readonly string[]>> = {
  json: ['application/json'],
  form: ['application/x-www-form-urlencoded', 'multipart/form-data'],
  ndjson: ['application/x-ndjson'],
  rows: ['text/csv', 'application/x-ndjson'],
  bytes: ['application/offset+octet-stream'],
  signed: ['application/json'],
  report: ['application/json'],
}

const bodyOf = (name: string, { body, accepts = 'json', method }: Endpoint): Json | undefined => {
  if (method === 'GET' || method === 'HEAD') return undefined
  if (!body && ['json', 'form'].includes(accepts)) return undefined
  const schema = body ? toJsonSchema(body) : accepts === 'signed' || accepts === 'report' ? {} : binary
  const example = samples[name]
  const content = Object.fromEntries(bodyTypes[accepts].map((type) => [type, { schema, ...(example && { example }) }]))
  return { required: body !== undefined && accepts !== 'bytes', content }
}

const isStruct = (answer: Endpoint['answer']): answer is AnyStruct => typeof answer === 'object'

const answerContent = ({ answer, method }: Endpoint): Json => {
  if (answer === 'none' || method === 'HEAD') return {}
  if (isStruct(answer)) return { content: { 'application/json': { schema: toJsonSchema(answer) } } }
  const type = answer === 'text' ? 'text/plain' : answer === 'stream' ? 'text/event-stream' : '*/*'
  return { content: { [type]: { schema: answer === 'bytes' ? binary : text } } }
}

/** What a device or a download answers besides: parts, not modified, nothing to do. */
const otherAnswers = (endpoint: Endpoint): Json => {
  const { answer, accepts, mayExist } = endpoint
  return {
    ...(mayExist && { 200: { description: 'It existed.', ...answerContent(endpoint) } }),
    ...(answer === 'bytes' && {
      204: { description: 'There is nothing.' },
      206: { description: 'A part of the bytes.', content: { '*/*': { schema: binary } } },
      302: { description: 'The bytes are at another address.' },
      304: { description: 'Not modified.' },
    }),
    ...(accepts === 'bytes' && { 204: { description: 'Done.' } }),
  }
}

const errorAnswer = ({ errors }: Endpoint): Json =>
  errors
    ? { description: 'Refused, in the form of hawkBit.' }
    : { description: 'Refused.', content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } } }

const titles: Readonly<Record<string, string>> = {
  apiDescription: 'API description',
  ddi: 'hawkBit clients (DDI)',
  device: 'Device API',
}
/** The name of a group of endpoints for people. */
const titleOf = (name: string): string => {
  const module = name.split('.')[0] ?? ''
  const words = module.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return titles[module] ?? words.charAt(0).toUpperCase() + words.slice(1)
}

const operationOf = (name: string, endpoint: Endpoint): Json => {
  const parameters = [...pathParameters(endpoint), ...queryParameters(endpoint), ...headerParameters(endpoint)]
  const status = endpoint.status ?? (endpoint.answer === 'none' ? 204 : 200)
  const permissions = permissionsOf(endpoint)
  const requestBody = bodyOf(name, endpoint)
  return {
    operationId: name.replace(/[^\w]+/g, '_'),
    summary: endpoint.summary,
    tags: [titleOf(name)],
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody && { requestBody }),
    responses: {
      ...otherAnswers(endpoint),
      [status]: { description: endpoint.summary, ...answerContent(endpoint) },
      '4XX': errorAnswer(endpoint),
      '5XX': errorAnswer(endpoint),
    },
    'x-permission': permissions,
    'x-audit': endpoint.audit,
    'x-rate': endpoint.rate,
  }
}

/** All endpoints by `module.name`: those of people and programs, of devices, and of hawkBit clients. */
export const named = (): readonly (readonly [string, Endpoint])[] => [
  ...Object.entries(endpoints),
  ...Object.entries(device).map(([name, endpoint]) => [`device.${name}`, endpoint as Endpoint] as const),
  ...Object.entries(ddi).map(([name, endpoint]) => [`ddi.${name}`, endpoint as Endpoint] as const),
]

export type OpenApiDocument = Readonly<Record<string, unknown>> & {
  paths: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/** The OpenAPI 3.1 document of the API at this origin. */
export const createDocument = (origin: string): OpenApiDocument => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const [name, endpoint] of named()) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(name, endpoint) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Teasel',
      version: '1',
      description: 'The API of Teasel: the console, the command line, devices and your own programs use the same endpoints.',
      license: { name: 'Not licensed', identifier: 'LicenseRef-Teasel' },
    },
    servers: [{ url: origin }],
    tags: [...new Set(named().map(([name]) => titleOf(name)))].map((name) => ({ name })),
    paths,
    components: { securitySchemes: schemes, schemas: { Error: toJsonSchema(ErrorBody) } },
  }
}
