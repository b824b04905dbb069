import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search'

describe('the query string', () => {
  it.each(['1e3', '0x10', 'true', 'null', '[1]', '"a"', '007', ' a b ', '&=?#', 'ü'])('keeps %j as it is', (value) =>
    expect(parseSearch(stringifySearch({ value }))).toEqual({ value }),
  )
  it('keeps a repeated name as a list', () => expect(parseSearch('?a=1&a=2&b=3')).toEqual({ a: ['1', '2'], b: '3' }))
  it('leaves out what is not set', () => expect(stringifySearch({ a: undefined, b: null, c: '' })).toBe('?c='))
  it('comes back as it went, whatever it says', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string()), (search) => {
        expect(parseSearch(stringifySearch(search))).toEqual({ ...search })
      }),
    ))
})
