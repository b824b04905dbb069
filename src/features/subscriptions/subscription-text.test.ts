import { expect, it } from 'vitest'
import { duplicatesText, noteOf } from './subscription-text'

it('says that an account pays for more than one subscription, and where to cancel the others', () => {
  const texts = [0, 1, 2].map((duplicates) => duplicatesText({ duplicates }))
  expect(texts).toEqual([
    undefined,
    'Pays for one more subscription at the same time, without getting more. Cancel it in the billing portal.',
    'Pays for 2 more subscriptions at the same time, without getting more. Cancel them in the billing portal.',
  ])
})

it('says before a paid plan ends what is deleted then, and nothing while it goes on', () => {
  const ends = noteOf({ scope: 'organization', state: 'active', cancel_at_period_end: true, plan: 'production' })
  expect(ends).toBe(
    'The developer plan applies after this period. Then logs are deleted after 3 days, metrics after 3 (hourly ones after 30) and audit entries after 90, for good: export the audit log before. Nothing else is deleted and devices keep getting updates. New items are limited by the plan.',
  )
  expect(noteOf({ scope: 'organization', state: 'past_due', cancel_at_period_end: false, plan: 'production' })).toContain(
    'audit entries after 90',
  )
  expect(noteOf({ scope: 'organization', state: 'active', cancel_at_period_end: false, plan: 'production' })).toBe(undefined)
})

it('a personal plan that ends says that the organizations made on it follow', () => {
  const note = noteOf({ scope: 'personal', state: 'active', cancel_at_period_end: true, plan: 'production' })
  expect(note).toContain('It applies to the organizations that you created too')
})
