import { define, dynamic, type Struct } from 'superstruct'
import { brokenAt, formatJsonPosition } from '../../lib/json-position'

/** The value of a JSON control, or its text if it is invalid. `jsonObject` distinguishes the two. */
export const jsonOf = (text: FormDataEntryValue | null): unknown => {
  if (typeof text !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(text)
    // A JSON string is valid but never an object: as text it would look like invalid JSON.
    return typeof value === 'string' ? null : value
  } catch {
    return text
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const refusing = <T>(words: string) => define<T>('json', () => words)

/** A JSON object, or an error that names line and column; `struct` validates the content of the object. */
export const jsonObject = <T, S>(struct: Struct<T, S>): Struct<T, null> =>
  dynamic<T>((value) => {
    if (typeof value === 'string') {
      const place = brokenAt(value)
      return refusing<T>(place ? formatJsonPosition(place) : 'Enter a JSON object')
    }
    return isObject(value) ? (struct as Struct<T, any>) : refusing<T>('Enter a JSON object') // oxlint-disable-line typescript/no-explicit-any -- the inner schema is of no interest here
  })
