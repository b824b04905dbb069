import { Ajv2020 } from 'ajv/dist/2020'
import fc from 'fast-check'
import { is, validate } from 'superstruct'
import { describe, expect, it } from 'vitest'
import { repetitions } from '../../tests/support/counts'
import '../../tests/support/fixed-seed'
import * as ddi from '../ddi/endpoints'
import * as device from '../device/endpoints'
import type { AnyStruct, Endpoint } from '../core/endpoint'
import { endpoints } from '../endpoints'
import { ErrorBody } from '../core/errors'
import { Timestamp } from '../core/shapes'
import { type JsonSchema, toJsonSchema } from './json-schema'

const all: [string, Endpoint][] = Object.entries({ ...endpoints, ...device, ...ddi } as Record<string, Endpoint>)
const structs = new Map<string, AnyStruct>([['errors.ErrorBody', ErrorBody as AnyStruct]])
for (const [name, { query, body, answer }] of all) {
  if (query) structs.set(`${name} query`, query)
  // An image is bytes, not JSON.
  if (body && name !== 'account.setAvatar') structs.set(`${name} body`, body)
  if (typeof answer === 'object') structs.set(`${name} answer`, answer)
}

const ajv = new Ajv2020({ strict: false, unicodeRegExp: false })

/** What the structs check besides, in words of the contract: JSON Schema has no keyword for it, or none that fits. */
const refinements = new Set([
  // Texts: characters that cannot be stored or shown, forms that need a reader, names of things that exist elsewhere.
  'characters',
  'absolute',
  'code',
  'country',
  'email',
  'key',
  'mask',
  'name',
  'network',
  'origin',
  'pem',
  'private_key',
  'url',
  // A date that exists, from 1970 to 9999.
  'timestamp',
  'zone',
  // Lists and lengths.
  'required',
  'repeated',
  'size',
  'too_long',
  'too_short',
  'file_too_large',
  // One field with another.
  'confirm_by',
  'not_listed',
  'count',
  'range',
  'rest',
  'rising',
  'columns',
  'order',
  'samples_tested',
  'percent',
])

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

// The library makes no values for a look-ahead: without it, then checked.
const matching = (pattern: string) =>
  fc
    .stringMatching(new RegExp(pattern.replaceAll(/\(\?!(?:[^()]|\([^()]*\))*\)/g, '')))
    .filter((value) => new RegExp(pattern).test(value))

const timestampPattern = toJsonSchema(Timestamp as AnyStruct).pattern
const times = fc.date({ min: new Date(0), max: new Date('9999-01-01'), noInvalidDate: true })

const text = ({ pattern, minLength = 0, maxLength = 40 }: JsonSchema) =>
  pattern === timestampPattern
    ? times.map((time) => `${time.toISOString().slice(0, 19)}+00:00`)
    : pattern === undefined
      ? fc.string({ minLength: Number(minLength), maxLength: Math.min(Number(maxLength), Number(minLength) + 12) })
      : matching(pattern as string)

/** Values that a schema accepts. */
const valuesOf = (schema: JsonSchema): fc.Arbitrary<unknown> => {
  const { enum: values, anyOf, oneOf, prefixItems, type } = schema
  if ('const' in schema) return fc.constant(schema.const)
  if (values) return fc.constantFrom(...list(values))
  const alternatives = (anyOf ?? oneOf) as JsonSchema[] | undefined
  if (alternatives) return fc.oneof(...alternatives.map(valuesOf))
  if (prefixItems) return fc.tuple(...(prefixItems as JsonSchema[]).map(valuesOf))
  const ofType = (one: unknown): fc.Arbitrary<unknown> => {
    if (one === 'null') return fc.constant(null)
    if (one === 'boolean') return fc.boolean()
    if (one === 'string') return text(schema)
    if (one === 'integer') {
      const { minimum = -1000, maximum = Number.MAX_SAFE_INTEGER } = schema
      return fc.integer({ min: Number(minimum), max: Math.min(Number(maximum), 2 ** 31) })
    }
    if (one === 'number') return fc.double({ noNaN: true, noDefaultInfinity: true })
    if (one === 'array') return fc.array(valuesOf((schema.items as JsonSchema | undefined) ?? {}), { maxLength: 3 })
    if (one === 'object') return objectsOf(schema)
    return fc.jsonValue({ maxDepth: 1 })
  }
  return type === undefined ? ofType(undefined) : fc.oneof(...list(type).map(ofType))
}

const objectsOf = ({ properties, required, additionalProperties, propertyNames }: JsonSchema): fc.Arbitrary<object> => {
  if (!properties) {
    const names = text((propertyNames as JsonSchema | undefined) ?? { minLength: 1, maxLength: 8 })
    return fc.dictionary(names, valuesOf((additionalProperties as JsonSchema | undefined) ?? {}), {
      maxKeys: 3,
      noNullPrototype: true,
    })
  }
  const model = Object.fromEntries(
    Object.entries(properties as Record<string, JsonSchema>).map(([key, one]) => [key, valuesOf(one)]),
  )
  return fc.record(model, { requiredKeys: (required as string[] | undefined) ?? [], noNullPrototype: true })
}

const others = [null, '', 'x', -1, 0.5, 1e300, true, [], {}, { unexpected: 1 }, ['x'], '\u0000', ' '.repeat(600)]

/** The same value with something else at one place in it, a key less, or a key more. */
const changed = (value: unknown, steps: readonly number[], other: number): unknown => {
  const [step, ...rest] = steps
  if (typeof value !== 'object' || value === null || step === undefined) return others[other % others.length]
  const keys = Object.keys(value)
  if (step % 7 === 0) return Array.isArray(value) ? [...value, 'more'] : { ...value, more: 1 }
  const key = keys[step % Math.max(1, keys.length)]
  if (key === undefined) return others[other % others.length]
  if (step % 5 === 0 && !Array.isArray(value)) {
    const { [key as never]: _, ...less } = value as Record<string, unknown>
    return less
  }
  const inner = changed((value as Record<string, unknown>)[key], rest, other)
  return Array.isArray(value) ? value.map((one, at) => (String(at) === key ? inner : one)) : { ...value, [key]: inner }
}

describe('each JSON Schema of the contract and its struct agree on random values', () => {
  const accepted = new Map<string, number>()
  it.each([...structs])('%s', (name, struct) => {
    const schema = toJsonSchema(struct)
    const isValid = ajv.compile(schema)
    const judge = (value: unknown) => {
      const [error] = validate(value, struct)
      const verdict = isValid(value)
      if (!error) {
        accepted.set(name, (accepted.get(name) ?? 0) + 1)
        expect(
          verdict,
          `the struct accepts, the schema does not: ${JSON.stringify(value)} ${ajv.errorsText(isValid.errors)}`,
        ).toBe(true)
      } else if (verdict) {
        const names = error.failures().map(({ refinement, type }) => refinement ?? `type ${type}`)
        expect(
          names.some((one) => refinements.has(one)),
          `the schema accepts, the struct does not: ${names.join(', ')} ${JSON.stringify(value)}`,
        ).toBe(true)
      }
    }
    fc.assert(
      fc.property(valuesOf(schema), fc.array(fc.nat(100), { maxLength: 4 }), fc.nat(100), (value, steps, other) => {
        judge(value)
        judge(changed(value, steps, other))
      }),
      { numRuns: repetitions(30, 1000) },
    )
    expect(is(undefined, struct)).toBe(false)
  })
})
