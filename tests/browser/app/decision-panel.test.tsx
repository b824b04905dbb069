import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { UpdateDecision } from '../../../contract/updates/device-updates'
import type { Device, DeviceUpdate } from '../../../contract/fleet/devices'
import { updateDecisionQuery } from '../../../src/api/queries/fleet/devices'
import { DecisionPanel } from '../../../src/features/devices/updates/decision-panel'
import { makeSystem, mount } from './system'

const check = { observed: null, required: null, until: null, text: '' }
const offer: UpdateDecision = {
  decided_at: '2031-05-04T14:00:00+00:00',
  outcome: 'offer',
  release_id: 'release',
  rollout_id: 'rollout',
  next_check_at: null,
  checks: [
    { ...check, id: 'lifecycle_active', result: 'pass', observed: 'active' },
    { ...check, id: 'key_trusted', result: 'not_applicable', observed: 'verified by its client' },
    { ...check, id: 'rate_ok', result: 'not_reached' },
  ],
}

/** The panel of a device whose update is in this state. */
const show = (state: DeviceUpdate['state'], rollout_id = 'rollout') => {
  const system = makeSystem()
  const { queryKey } = updateDecisionQuery(system.api, 'device')
  system.queryClient.setQueryDefaults(queryKey, { staleTime: Infinity })
  system.queryClient.setQueryData(queryKey, offer)
  const device = { id: 'device', update: { state, rollout_id } } as Device
  mount(system, <DecisionPanel device={device} />)
}
const begins = 'The device gets the release at its next check-in'

it.each(['downloading', 'claimed'] as const)(
  'the decision about an update that is %s says that it is under way',
  async (state) => {
    show(state)
    await expect.element(page.getByText(`The update is under way: ${state}`)).toBeVisible()
  },
)

it.each([
  ['queued', 'rollout'],
  ['deferred', 'rollout'],
  ['claimed', 'another rollout'],
] as const)('the decision about an update that is %s in %s says that the next check-in begins it', async (state, rollout) => {
  show(state, rollout)
  await expect.element(page.getByText(begins)).toBeVisible()
})

it('a check that the client of the device makes itself says so', async () => {
  show('queued')
  // The list of checks is closed on a narrow screen.
  await expect.element(page.getByText('verified by its client')).toBeInTheDocument()
  await expect.element(page.getByText('not reached', { exact: true })).toBeInTheDocument()
})
