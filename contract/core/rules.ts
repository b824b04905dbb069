import { coerce, define, integer, refine, string, Struct, union } from 'superstruct'

/** JSON Schema keywords of what a struct checks by a function; read by contract/openapi. */
export type Keywords = { jsonSchema: Readonly<Record<string, unknown>> }

/**
 * Adds keywords to a struct of texts or numbers, in its `schema`: it is unused there, and every struct that is made from this one
 * (`optional`, `nullable`, `refine`) carries it along.
 */
const describe = <T>(struct: Struct<T, null>, jsonSchema: Keywords['jsonSchema']): Struct<T, null> =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of an unused schema
  new Struct({ ...struct, schema: { jsonSchema } as unknown as null })

/** A value that one of the structs accepts. In the body of a request use `boundedOneOf`. */
export const oneOf: typeof union = (structs) =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  new Struct({ ...union(structs), schema: { anyOf: structs } as unknown as null })

/**
 * The struct, with a faster check of its usual values: each value that `isUsual` finds must be one that the struct returns as it is.
 * All others are checked by the struct.
 */
export const withQuickCheck = <T, S>(struct: Struct<T, S>, isUsual: (value: unknown) => boolean): Struct<T, S> =>
  new Struct<T, S>({
    ...struct,
    coercer: (value, context) => (isUsual(value) ? value : struct.coercer(value, context)),
    validator: (value, context) => (isUsual(value) ? [] : struct.validator(value, context)),
    refiner: (value, context) => (isUsual(value) ? [] : struct.refiner(value, context)),
    *entries(value, context) {
      if (!isUsual(value)) yield* struct.entries(value, context)
    },
  })

const length = (value: string) => [...value].length
// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/
const controlOrBreak = /[\u0000-\u001f\u007f]/ // oxlint-disable-line no-control-regex -- as above

/** Trimmed text of `min` to `max` code points, without control characters or lone surrogates. */
export const text = (
  label: string,
  { min = 1, max, lines = false }: { min?: number; max: number; lines?: boolean },
): Struct<string, null> => {
  const refuses = lines ? control : controlOrBreak
  const clean = refine(
    describe(string(), { maxLength: max, ...(min > 0 && { minLength: min }) }),
    'characters',
    (value) => (value.isWellFormed() && !refuses.test(value)) || `${label} must not contain control characters`,
  )
  const long = refine(clean, 'too_long', (value) => length(value) <= max || `${label} must be ${max} characters or less`)
  const short = refine(
    long,
    'too_short',
    (value) => value === '' || length(value) >= min || `${label} must be at least ${min} characters`,
  )
  const filled = refine(short, 'required', (value) => min === 0 || value !== '' || `${label} is required`)
  return coerce(filled, string(), (value) => value.trim())
}

/** A string of one form, with the message for others. */
export const pattern = (code: string, form: RegExp, message: string): Struct<string, null> =>
  refine(describe(string(), { pattern: form.source }), code, (value) => form.test(value) || message)

/**
 * The form of an e-mail address. Characters that separate or group addresses in a mail header (RFC 5322) are refused:
 * 'x,a@b.cc' would reach a@b.cc under another name. `\p{Cc}` are the control characters.
 */
export const emailForm = /^[^\s@<>"(),:;[\\\]\p{Cc}]{1,64}@[^\s@<>"(),:;[\\\]\p{Cc}]{1,189}\.[^\s@.<>"(),:;[\\\]\p{Cc}]{2,}$/u
const storable = (text: string) => text.isWellFormed() && !text.includes('\0')

/**
 * The dotted path of the first text (key or value) that PostgreSQL cannot store: one with NUL or a lone surrogate. Undefined if
 * there is none.
 */
export const findUnstorable = (value: unknown): string | undefined => pathOfUnstorable(value)?.join('.')

// The path is built only where there is one: every body passes here.
const pathOfUnstorable = (value: unknown): string[] | undefined => {
  if (typeof value === 'string') return storable(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, inner] of Object.entries(value)) {
    if (!storable(key)) return []
    const below = pathOfUnstorable(inner)
    if (below) return [key, ...below]
  }
  return undefined
}

/** An integer from `min` to `max`. */
export const boundedInteger = (label: string, min: number, max: number = Number.MAX_SAFE_INTEGER): Struct<number, null> =>
  refine(
    describe(integer(), { minimum: min, maximum: max }),
    'range',
    (value) => (value >= min && value <= max) || `${label} must be between ${min} and ${max}`,
  )

/** The same in a query string, where numbers arrive as text. */
export const integerParam = (label: string, min: number, max?: number): Struct<number, null> =>
  coerce(boundedInteger(label, min, max), string(), (value) => (/^-?\d{1,16}$/.test(value) ? Number(value) : NaN))

export const booleanParam: Struct<boolean, null> = coerce(
  define<boolean>('boolean', (value) => typeof value === 'boolean' || 'Must be true or false'),
  string(),
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
)
