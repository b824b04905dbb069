import type { StructError } from 'superstruct'

/** One refused field, as under an input and in `error.details`. `field` is a dotted path. */
export type FieldError = { field: string; code: string; message: string }

const words = (key: string) => {
  // The suffix of a unit is not part of the label.
  const spaced = key.replace(/_s$/, '').replace(/_/g, ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** The failures of a struct, one per field (the first broken rule), in readable sentences. */
export const fieldErrors = (error: StructError): FieldError[] => {
  const first = new Map<string, FieldError>()
  for (const failure of error.failures()) {
    const field = failure.path.join('.')
    if (first.has(field)) continue
    // An item of a list is named by its list.
    const label = words(failure.path.findLast((step) => typeof step === 'string') ?? 'body')
    const refined = failure.refinement !== undefined
    if (failure.type === 'never') first.set(field, { field, code: 'unknown_field', message: `${label} is not a known field` })
    else if (refined) first.set(field, { field, code: failure.refinement ?? 'invalid', message: failure.message })
    else if (failure.value === undefined || failure.value === null)
      first.set(field, { field, code: 'required', message: `${label} is required` })
    else if (failure.type === 'enums' || failure.type === 'literal')
      first.set(field, { field, code: 'not_listed', message: `${label} is not one of the known values` })
    else
      first.set(field, {
        field,
        code: 'type',
        message: failure.message.startsWith('Expected') ? `${label} must be ${article(failure.type)}` : failure.message,
      })
  }
  return [...first.values()]
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
