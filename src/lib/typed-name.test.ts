import { expect, it } from 'vitest'
import { isTypedName } from './typed-name'

it.each([
  ['Orchard', 'Orchard'],
  [' Orchard ', 'Orchard'],
  ['Orchard South', 'Orchard  South'],
  ['Orchard South', 'Orchard\u00a0South'],
  ['Győr', 'Gyo\u030br'],
  ['Orchard', '\u202eOrchard\u200b'],
])('%j is typed for the name %j', (typed, name) => {
  expect(isTypedName(typed, name)).toBe(true)
})

it.each([
  ['orchard', 'Orchard'],
  ['Orchard', 'Orchard 2'],
  ['OrchardSouth', 'Orchard South'],
  ['', 'Orchard'],
])('%j is not typed for the name %j', (typed, name) => {
  expect(isTypedName(typed, name)).toBe(false)
})
