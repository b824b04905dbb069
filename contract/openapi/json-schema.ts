import { is } from 'superstruct'
import type { AnyStruct } from '../core/endpoint'
import type { Keywords } from '../core/rules'

/** A schema of JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export type JsonSchema = { readonly [keyword: string]: unknown }

type Fields = Readonly<Record<string, AnyStruct>>

// These structs show their parts only when they visit a value.
const visit = ({ entries }: AnyStruct, value: unknown) => [...entries(value, { branch: [value], path: [] })]

const probe = 'a'

const keywordsOf = ({ schema }: AnyStruct): Keywords['jsonSchema'] => (schema as Partial<Keywords> | null)?.jsonSchema ?? {}

const ofFields = (fields: Fields, isOpen: boolean): JsonSchema => {
  const required = Object.entries(fields).filter(([, field]) => !is(undefined, field))
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, toJsonSchema(field)])),
    ...(required.length > 0 && { required: required.map(([name]) => name) }),
    ...(!isOpen && { additionalProperties: false }),
  }
}

const ofRecord = (struct: AnyStruct): JsonSchema => {
  const [key, value] = visit(struct, { [probe]: probe }).map(([, , part]) => part as AnyStruct)
  if (!key || !value) return { type: 'object' }
  const { pattern, maxLength, minLength } = keywordsOf(key)
  const names = { ...(pattern !== undefined && { pattern }), ...(maxLength !== undefined && { maxLength, minLength }) }
  return {
    type: 'object',
    additionalProperties: toJsonSchema(value),
    ...(Object.keys(names).length > 0 && { propertyNames: names }),
  }
}

const ofTuple = (struct: AnyStruct): JsonSchema => {
  // Visiting an empty list yields each position.
  const parts = visit(struct, []).map(([, , part]) => toJsonSchema(part as AnyStruct))
  return { type: 'array', prefixItems: parts, minItems: parts.length, maxItems: parts.length }
}

// The only one is a wave of a rollout: its kind decides.
const ofDynamic = (struct: AnyStruct): JsonSchema => {
  const fieldsOf = (kind: string): Fields =>
    Object.fromEntries(
      visit(struct, { kind }).flatMap(([name, , part]): [string, AnyStruct][] =>
        part.type === 'never' ? [] : [[String(name), part as AnyStruct]],
      ),
    )
  return { oneOf: ['tag', 'percent'].map((kind) => ofFields(fieldsOf(kind), false)) }
}

const bare = (struct: AnyStruct): JsonSchema => {
  const { type, schema } = struct
  switch (type) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return { type, ...keywordsOf(struct) }
    case 'file':
      return { type: 'string', format: 'binary' }
    case 'array':
      return { type, ...(schema && { items: toJsonSchema(schema as AnyStruct) }) }
    case 'object':
    case 'type':
      return schema ? ofFields(schema as Fields, type === 'type') : { type: 'object' }
    case 'enums':
      return { enum: Object.values(schema as object) }
    case 'literal':
      return { const: schema as unknown }
    case 'union':
      return { anyOf: (schema as { anyOf: readonly AnyStruct[] }).anyOf.map(toJsonSchema) }
    case 'record':
      return ofRecord(struct)
    case 'tuple':
      return ofTuple(struct)
    case 'dynamic':
      return ofDynamic(struct)
    case 'unknown':
    case 'any':
      return {}
    default:
      throw new Error(`a struct of type ${type} has no JSON Schema`)
  }
}

/** Whether the struct accepts null beside what its type says. */
const isNullable = (struct: AnyStruct) => struct.type !== 'unknown' && struct.type !== 'any' && is(null, struct)

/**
 * The JSON Schema of a struct of the contract. It accepts each value that the struct accepts; what a refinement refuses besides
 * is in `refinements` (json-schema.test.ts).
 */
export function toJsonSchema(struct: AnyStruct): JsonSchema {
  const schema = bare(struct)
  if (!isNullable(struct)) return schema
  if (Array.isArray(schema.anyOf)) return { anyOf: [...(schema.anyOf as JsonSchema[]), { type: 'null' }] }
  if (typeof schema.type === 'string') return { ...schema, type: [schema.type, 'null'] }
  if (Array.isArray(schema.enum)) return { enum: [...(schema.enum as unknown[]), null] }
  return { anyOf: [schema, { type: 'null' }] }
}
