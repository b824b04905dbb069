import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseSearch, stringifySearch } from './search'
import '../../tests/support/fixed-seed'

describe('the query string', () => {
  it.each(['1e3', '0x10', 'true', 'null', '[1]', '"a"', '007', ' a b ', '&=?#', 'ü'])('keeps %j as it is', (value) =>
    expect(parseSearch(stringifySearch({ value }))).toEqual({ value }),
  )
  it('keeps a repeated name as a list', () => expect(parseSearch('?a=1&a=2&b=3')).toEqual({ a: ['1', '2'], b: '3' }))
  it('leaves out what is not set', () => expect(stringifySearch({ a: undefined, b: null, c: '' })).toBe('?c='))
  it.each(['?b=1&a=2&b=3', '?b=1&2=x&1=y', '?to=b&from=mail&to=a&10=x&to=b', '?a=&a=&b=&a='])('%s keeps its order', (search) =>
    expect(stringifySearch(parseSearch(search))).toBe(search),
  )
  it('keeps the order of the rest when something is changed, left out or added', () => {
    const kept = parseSearch('?b=1&a=2&b=3&c=4')
    expect(stringifySearch({ ...kept, a: 'new' })).toBe('?b=1&a=new&b=3&c=4')
    expect(stringifySearch({ ...kept, b: undefined })).toBe('?a=2&c=4')
    expect(stringifySearch({ ...kept, b: 'one' })).toBe('?b=one&a=2&c=4')
    expect(stringifySearch({ ...kept, d: '5' })).toBe('?b=1&a=2&b=3&c=4&d=5')
  })
  it('keeps every name, value and repeat in its order', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.stringMatching(/^[a-c1-3]{1,2}$/), fc.string())), (pairs) => {
        const search = stringifySearch(parseSearch(`?${new URLSearchParams(pairs)}`))
        expect([...new URLSearchParams(search)]).toEqual([...new URLSearchParams(new URLSearchParams(pairs).toString())])
      }),
    ))
  it('is unchanged after parsing and writing, for any content', () =>
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z_]{1,8}$/), fc.string()), (search) => {
        expect(parseSearch(stringifySearch(search))).toEqual({ ...search })
      }),
    ))
})
