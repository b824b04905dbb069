import { describe, expect, it } from 'vitest'
import { countries, countryOf } from './countries'

const labelOf = (code: string) => countries.find(({ value }) => value === code)?.label

describe('the countries', () => {
  it('are the 249 of the standard list, each with a name of its own', () => {
    expect(new Set(countries.map(({ value }) => value)).size).toBe(249)
    expect(new Set(countries.map(({ label }) => label)).size).toBe(249)
    expect(countries.filter(({ value, label }) => value === label)).toEqual([])
  })

  it('call TW Taiwan and US United States (§3)', () => {
    expect(labelOf('TW')).toBe('Taiwan')
    expect(labelOf('US')).toBe('United States')
  })
})

describe('a country name that was typed (§2)', () => {
  it.each([
    ['Hungary', 'HU'],
    ['  hungary ', 'HU'],
    ['turkiye', 'TR'],
    ['Cote d’Ivoire', 'CI'],
    ['us', 'US'],
    ['UK', 'GB'],
    ['Niger', 'NE'],
    ['Nether', 'NL'],
    ['', ''],
  ])('%j is %j', (typed, code) => expect(countryOf(typed)).toBe(code))

  it.each(['Atlantis', 'United'])('%j is left as it was', (typed) => expect(countryOf(typed)).toBeUndefined())
})
