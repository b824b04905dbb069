import { array, record, Struct } from 'superstruct'

// Structs of the bodies of requests, whose sizes are limited. Not in rules.ts: the first screen of the console checks no bodies.

/**
 * The struct, with a check of the size of a value before its parts: the parts of one that is too large are not looked at.
 * `describeExcess` gives the message for it.
 */
export const sizeFirst = <T, S>(struct: Struct<T, S>, describeExcess: (value: unknown) => string | null): Struct<T, S> =>
  new Struct<T, S>({
    ...struct,
    validator(value, context) {
      const message = describeExcess(value)
      return message === null ? struct.validator(value, context) : { type: 'too_many', message }
    },
    *entries(value, context) {
      if (describeExcess(value) === null) yield* struct.entries(value, context)
    },
  })

/** A list of at most `max` items. */
export const boundedList = <T, S>(
  item: Struct<T, S>,
  max: number,
  message: string | ((count: number) => string) = `Use at most ${max} items`,
): Struct<T[], Struct<T, S>> =>
  sizeFirst(array(item), (value) => {
    if (!Array.isArray(value) || value.length <= max) return null
    return typeof message === 'string' ? message : message(value.length)
  })

/** A map of at most `max` keys. */
export const boundedRecord = <K extends string, V>(
  key: Struct<K>,
  value: Struct<V>,
  max: number,
  message = `Use at most ${max} keys`,
): Struct<Record<K, V>, null> =>
  sizeFirst(record(key, value), (map) =>
    typeof map === 'object' && map !== null && Object.keys(map).length > max ? message : null,
  )
