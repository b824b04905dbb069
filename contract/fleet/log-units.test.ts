import { expect, it } from 'vitest'
import { parseLogUnits } from './log-units'

it.each([
  ['app', [], ['app']],
  ['app,kernel', ['app', 'kernel'], ['app', 'kernel']],
  ['ntp,backup', ['ntp,backup'], ['ntp,backup']],
  ['ntp,backup,door', ['door', 'ntp,backup'], ['ntp,backup', 'door']],
  ['door,ntp,backup', ['door', 'ntp,backup'], ['door', 'ntp,backup']],
  ['a,b,c', ['a,b', 'a,b,c'], ['a,b,c']],
  ['gone,a,b', ['a,b'], ['gone', 'a,b']],
])('the units %s of a device with the units %j are %j', (text, known, units) => expect(parseLogUnits(text, known)).toEqual(units))
