import { expect, it } from 'vitest'
import { type AccountEvent, accountActions } from '../../../contract/accounts/account-activity'
import { eventText, isAlarming } from './event-text'

const event = (facts: Partial<AccountEvent>): AccountEvent => ({
  id: '01KT1GW6G0S2ZF9JWSHMPD4QDJ',
  occurred_at: '2026-06-01T12:00:00+00:00',
  action: 'session.create',
  result: 'success',
  ip: null,
  user_agent: null,
  current: false,
  changed: [],
  reason: null,
  ...facts,
})

it('every action of an account has its own text', () => {
  const words = accountActions.map((action) => eventText(event({ action })))
  expect(new Set(words).size).toBe(accountActions.length)
  expect(words.filter((text) => text.includes('.'))).toEqual([])
})

it.each([
  [{ action: 'user.update', changed: ['full_name'] }, 'Name changed'],
  [{ action: 'user.update', changed: ['image_url'] }, 'Picture changed'],
  [{ action: 'session.delete', reason: 'all other sessions' }, 'All other sessions ended'],
  [{ action: 'session.fail', reason: 'password not proven' }, 'Wrong password entered in an open session'],
  [{ action: 'user.something_new' }, 'user.something_new'],
])('%j is shown as %s', (facts, text) => {
  expect(eventText(event(facts))).toBe(text)
})

it('only failures and reduced protection are shown as alarming', () => {
  expect(isAlarming(event({ action: 'session.fail', result: 'failure' }))).toBe(true)
  expect(isAlarming(event({ action: 'user.totp_disable' }))).toBe(true)
  expect(isAlarming(event({}))).toBe(false)
})
