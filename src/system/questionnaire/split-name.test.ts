import { expect, it } from 'vitest'
import { splitName } from './split-name'

it.each([
  ['', '', ''],
  ['  Ines   Marlow ', 'Ines', 'Marlow'],
  ['Ines', 'Ines', ''],
  ['Ada Maria Lovelace', 'Ada Maria', 'Lovelace'],
  ['Marlow, Ines', 'Ines', 'Marlow'],
  ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
  ['Jan van der Berg', 'Jan', 'van der Berg'],
  ['Van Morrison', 'Van', 'Morrison'],
  ['van Gogh', 'van', 'Gogh'],
  ['Marlow,', 'Marlow,', ''],
])('the full name %j is the given name %j and the family name %j', (fullName, first_name, last_name) =>
  expect(splitName(fullName)).toEqual({ first_name, last_name }),
)
