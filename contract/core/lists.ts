import { array, integer, nullable, optional, string, type Struct, type } from 'superstruct'
import { listLimit } from './limits'
import { pattern, text, integerParam } from './rules'

/** Parameters of every list; spread them into the module's own query struct. */
export const listQuery = {
  limit: optional(integerParam('Limit', 1, listLimit.max)),
  cursor: optional(pattern('cursor', /^[\w-]{1,512}$/, 'The cursor does not belong to this list')),
  sort: optional(pattern('sort', /^-?[a-z_]{1,40}$/, 'Sort by a field name, with a minus for descending')),
  q: optional(text('Search', { min: 0, max: 200 })),
}

/** One page of a list by keyset: `next_cursor` is null at the end, `total` is exact up to 1,000, or 400 deliveries of a webhook, and null beyond. */
export const listOf = <K extends string, T, S>(plural: K, item: Struct<T, S>) =>
  type({ [plural]: array(item), next_cursor: nullable(string()), total: nullable(integer()) } as {
    [P in K]: Struct<T[], Struct<T, S>>
  } & { next_cursor: Struct<string | null, null>; total: Struct<number | null, null> })
