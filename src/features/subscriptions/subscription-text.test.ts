import { expect, it } from 'vitest'
import { duplicatesText } from './subscription-text'

it('says that an account pays for more than one subscription, and where to cancel the others', () => {
  const texts = [0, 1, 2].map((duplicates) => duplicatesText({ duplicates }))
  expect(texts).toEqual([
    undefined,
    'Pays for one more subscription at the same time, without getting more. Cancel it in the billing portal.',
    'Pays for 2 more subscriptions at the same time, without getting more. Cancel them in the billing portal.',
  ])
})
