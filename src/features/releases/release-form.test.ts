import { expect, it } from 'vitest'
import type { Release } from '../../../contract/updates/releases'
import { readDraft } from './release-form'

/** What an edit of a draft with this list sends as `may_return_to`, if its control has a name and this text. */
const sent = (before: number[] | null, text?: string) => {
  const data = new FormData()
  if (text !== undefined) data.set('may_return_to', text)
  // Only this field is read.
  return readDraft({ may_return_to: before } as Release)(data).may_return_to
}

it.each([
  ['the proposal unchanged: nothing, so that it is filled when the manifest is built', null, undefined, undefined],
  ['the proposal emptied: an empty list, which allows none', null, '', []],
  ['a list written instead of the proposal', null, '3, 2', [3, 2]],
  ['a written list unchanged: nothing', [1, 2], '1, 2', undefined],
  ['a written list emptied', [1, 2], '', []],
  ['an empty list unchanged: nothing', [], '', undefined],
])('of the versions to return to a form sends %s', (_, before, text, expected) => {
  expect(sent(before, text)).toEqual(expected)
})
