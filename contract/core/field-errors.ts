import type { Context, Failure, Struct } from 'superstruct'
import type { AnyStruct } from './endpoint'

/** One refused field, as under an input and in `error.details`. `field` is a dotted path. */
export type FieldError = { field: string; code: string; message: string }

/** One answer names so many fields at most, in so many bytes of JSON: a body may have a million wrong ones. */
const fieldErrorLimits = { count: 20, bytes: 14_336, field: 200, message: 300 } as const

const words = (key: string) => {
  // The suffix of a unit is not part of the label.
  const spaced = key.slice(0, 64).replace(/_s$/, '').replaceAll('_', ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)

const describeFailure = (failure: Failure): Pick<FieldError, 'code' | 'message'> => {
  // An item of a list is named by its list.
  const label = words(failure.path.findLast((step) => typeof step === 'string') ?? 'body')
  if (failure.type === 'too_many') return { code: 'too_many', message: failure.message }
  if (failure.type === 'never') return { code: 'unknown_field', message: `${label} is not a known field` }
  if (failure.refinement !== undefined) return { code: failure.refinement, message: failure.message }
  if (failure.value === undefined || failure.value === null) return { code: 'required', message: `${label} is required` }
  if (failure.type === 'enums' || failure.type === 'literal')
    return { code: 'not_listed', message: `${label} is not one of the known values` }
  return {
    code: 'type',
    message: failure.message.startsWith('Expected') ? `${label} must be ${article(failure.type)}` : failure.message,
  }
}

/** Collects errors until their number or size is at its limit; of each field the first. */
const createErrorList = () => {
  const errors = new Map<string, FieldError>()
  let bytes = 0
  let isFull = false
  return {
    add: (field: string, describe: () => Pick<FieldError, 'code' | 'message'>) => {
      const short = field.slice(0, fieldErrorLimits.field)
      if (isFull || errors.has(short)) return
      const { code, message } = describe()
      const error = { field: short, code, message: message.slice(0, fieldErrorLimits.message) }
      bytes += new TextEncoder().encode(JSON.stringify(error)).length
      if (errors.size === 0 || bytes <= fieldErrorLimits.bytes) errors.set(short, error)
      isFull = errors.size >= fieldErrorLimits.count || bytes > fieldErrorLimits.bytes
    },
    isFull: () => isFull,
    list: () => [...errors.values()],
  }
}

/** The first errors of a list, as many as an answer may have. */
export const limitFieldErrors = (errors: readonly FieldError[]): FieldError[] => {
  const found = createErrorList()
  for (const error of errors) {
    if (found.isFull()) break
    found.add(error.field, () => error)
  }
  return found.list()
}

type Visitor = { coerce: boolean; report: (failure: Failure) => void; isFull: () => boolean }

/**
 * Visits a value like superstruct's `validate`, and stops where enough failures are found: `StructError.failures` lists all of them,
 * for which a body of 1 MiB takes a minute.
 */
const visitValue = (root: unknown, struct: AnyStruct, { coerce, report, isFull }: Visitor): unknown => {
  let failed = 0
  let invalid = 0
  const note = (failures: Iterable<Failure>) => {
    for (const failure of failures) {
      failed += 1
      if (failure.refinement === undefined) invalid += 1
      report(failure)
      if (isFull()) return
    }
  }
  const visit = (given: unknown, part: AnyStruct, context: Context): unknown => {
    const invalidBefore = invalid
    const value: unknown = coerce ? part.coercer(given, context) : given
    note(part.validator(value, context))
    for (const [key, inner, innerStruct] of part.entries(value, context)) {
      if (isFull()) return value
      const failedBefore = failed
      const { path, branch } = context
      const below = { path: [...path, key], branch: [...branch, inner as unknown] }
      const right = visit(inner, innerStruct as AnyStruct, below)
      if (!coerce || failed > failedBefore || typeof value !== 'object' || value === null) continue
      if (right !== undefined || key in value) (value as Record<string | number, unknown>)[key] = right
    }
    // A rule across parts relies on their types.
    if (invalid === invalidBefore && !isFull()) note(part.refiner(value, context))
    return value
  }
  return visit(root, struct, { path: [], branch: [root] })
}

/** The first failures of a value, as many as an answer may have fields. */
export const listFailures = (value: unknown, struct: AnyStruct): Failure[] => {
  const failures: Failure[] = []
  const isFull = () => failures.length >= fieldErrorLimits.count
  visitValue(value, struct, { coerce: false, report: (failure) => failures.push(failure), isFull })
  return failures
}

/** Checks a value by its struct: the refused fields in readable sentences, or the value with its defaults and trimmed texts. */
export const checkFields = <T, S>(
  value: unknown,
  struct: Struct<T, S>,
  { coerce = true }: { coerce?: boolean } = {},
): [errors: FieldError[], value: undefined] | [errors: undefined, value: T] => {
  const found = createErrorList()
  const right = visitValue(value, struct as AnyStruct, {
    coerce,
    report: (failure) => found.add(failure.path.join('.'), () => describeFailure(failure)),
    isFull: found.isFull,
  })
  const errors = found.list()
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the struct has accepted it
  return errors.length > 0 ? [errors, undefined] : [undefined, right as T]
}
