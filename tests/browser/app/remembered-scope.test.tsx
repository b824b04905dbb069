import { afterEach, expect, it } from 'vitest'
import { createRememberedScope } from '../../../src/system/scope/remembered-scope'

afterEach(() => localStorage.clear())

it('R23: the last open organization is kept per user, and not visible to other users of the same browser', () => {
  const remembered = createRememberedScope(window)
  remembered.write('ines', 'org_hedgerow')
  expect([remembered.read('ines'), remembered.read('mara')]).toEqual(['org_hedgerow', undefined])
  // The personal space is remembered like an organization.
  remembered.write('mara', null)
  expect([remembered.read('ines'), remembered.read('mara')]).toEqual(['org_hedgerow', null])
})

it("R23: signing out clears what is readable without a session, and keeps the user's own values", () => {
  const remembered = createRememberedScope(window)
  remembered.write('ines', 'org_hedgerow')
  expect(remembered.hint()).toBe('org_hedgerow')
  remembered.forgetHint()
  expect([remembered.hint(), remembered.read('ines')]).toEqual([undefined, 'org_hedgerow'])
  expect(createRememberedScope(window).read('ines')).toBe('org_hedgerow')
})
