import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import type { Endpoint } from '../../contract/core/endpoint'
import { createDocument } from '../../contract/openapi/document'

type Content = Record<string, { schema: object }>
type Operation = { responses: Record<string, { content?: Content }> }

const document = createDocument('http://localhost:8080')
const ajv = new Ajv2020({ strict: false, unicodeRegExp: false })
ajv.addSchema({ $id: 'document', ...document })
const compiled = new Map<object, ValidateFunction>()

const compile = (schema: object) => {
  const known = compiled.get(schema)
  const made = known ?? ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')) as object)
  compiled.set(schema, made)
  return made
}

type Answer = { statusCode: number; payload: string; headers: Readonly<Record<string, unknown>> }

/** What the OpenAPI document does not say of an answer; undefined if it describes it. */
export const undescribed = ({ method, path }: Endpoint, answer: Answer): string | undefined => {
  const { statusCode, payload, headers } = answer
  const operation = document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] as Operation | undefined
  if (!operation) return 'it has no operation'
  const response = operation.responses[statusCode] ?? operation.responses[`${Math.floor(statusCode / 100)}XX`]
  if (!response) return `it has no answer ${statusCode}`
  const { 'content-type': contentType } = headers
  const type = typeof contentType === 'string' ? contentType.replace(/;.*/, '') : ''
  if (payload === '' || !type.endsWith('json')) return undefined
  const { content } = response
  if (!content) return `its answer ${statusCode} has no content`
  const schema = content[type]?.schema ?? content['*/*']?.schema
  if (!schema) return `its answer ${statusCode} has no ${type}`
  if ('format' in schema) return undefined
  const isValid = compile(schema)
  return isValid(JSON.parse(payload)) ? undefined : `its answer ${statusCode}: ${ajv.errorsText(isValid.errors)}`
}
