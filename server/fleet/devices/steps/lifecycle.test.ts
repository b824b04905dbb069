import { expect, it } from 'vitest'
import { lifecycles } from '../../../../contract/fleet/devices'
import { nextLifecycle, type LifecycleAction } from './lifecycle'

const steps: LifecycleAction[] = ['accept', 'reject', 'restore', 'disable', 'enable', 'decommission']

it('allows exactly these lifecycle transitions', () => {
  const ways = lifecycles.flatMap((from) =>
    steps.flatMap((step) => {
      const to = nextLifecycle(from, step)
      return to === null ? [] : [`${from} ${step} ${to}`]
    }),
  )
  expect(ways).toEqual([
    'pending accept active',
    'pending reject rejected',
    'pending decommission decommissioned',
    'rejected restore pending',
    'rejected decommission decommissioned',
    'active disable disabled',
    'active decommission decommissioned',
    'disabled enable active',
    'disabled decommission decommissioned',
  ])
})
