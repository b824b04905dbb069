import { define, dynamic, type Struct } from 'superstruct'
import { brokenAt, placeWords } from '../lib/json-place'

/** What stands in a JSON control: its value, or the text itself where it is none. `jsonObject` tells the two apart. */
export const jsonOf = (text: FormDataEntryValue | null): unknown => {
  if (typeof text !== 'string') return undefined
  try {
    const value: unknown = JSON.parse(text)
    // A string is a value too, but never an object: as text it would be taken for a broken one.
    return typeof value === 'string' ? null : value
  } catch {
    return text
  }
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)
const refusing = <T>(words: string) => define<T>('json', () => words)

/** product 4.7: a JSON object, or a sentence that names line and column; what the object may hold says `struct`. */
export const jsonObject = <T, S>(struct: Struct<T, S>): Struct<T, null> =>
  dynamic<T>((value) => {
    if (typeof value === 'string') {
      const place = brokenAt(value)
      return refusing<T>(place ? placeWords(place) : 'Enter a JSON object')
    }
    return isObject(value) ? (struct as Struct<T, any>) : refusing<T>('Enter a JSON object') // oxlint-disable-line typescript/no-explicit-any -- the inner schema is of no interest here
  })
