import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { previewRollBack, type RollBackPreview } from '../../../contract/updates/roll-backs'
import type { Rollout } from '../../../contract/updates/rollouts'
import type { Api } from '../../../src/api/client'
import { RollBackDialog } from '../../../src/features/releases/rollouts/roll-back-dialog'
import { makeSystem, mount } from './system'

const rollout = {
  id: '01JNV4E3S00000000000000R01',
  name: 'Gateway firmware #3',
  version: 6,
  display_version: '2.6.0',
  ended_at: null,
} as Rollout

const device = (name: string) => ({ id: name, name })
const nothing: RollBackPreview = { returns: [], stays: [], under_way: { returning: 0, staying: 0 }, also_offered: [] }

/** The dialog with a server that answers the preview with this, or refuses it. */
const open = (preview: RollBackPreview | Error, isRefused = false, ended_at: string | null = null) => {
  const system = makeSystem()
  const calls = vi.fn<(endpoint: unknown, params: unknown, options: unknown) => void>()
  const api = (async (endpoint: unknown, params: unknown, options: unknown) => {
    if (endpoint === previewRollBack) {
      if (preview instanceof Error) throw preview
      return preview
    }
    calls(endpoint, params, options)
    if (isRefused) throw new Error('no answer')
    return rollout
  }) as unknown as Api // Implements only two endpoints.
  mount({ ...system, api }, <RollBackDialog rollout={{ ...rollout, ended_at }} onClose={() => {}} />)
  return calls
}
const confirm = () => page.getByRole('button', { name: 'Halt and roll back' })

it('says before the rollback which devices return to which release, and which keep theirs and why', async () => {
  open({
    returns: [
      {
        release_id: 'r1',
        release_name: 'Gateway firmware',
        version: 5,
        display_version: '2.5.0',
        count: 7,
        sample: ['gw-1', 'gw-2', 'gw-3', 'gw-4', 'gw-5'].map(device),
      },
    ],
    stays: [
      {
        reason: 'rollback_number',
        text: 'the device has a higher rollback number in hardware',
        count: 1,
        sample: [device('gw-9')],
      },
    ],
    under_way: { returning: 2, staying: 0 },
    also_offered: [],
  })
  await expect.element(page.getByText('7: gw-1, gw-2, gw-3, gw-4, gw-5 and 2 more')).toBeVisible()
  await expect.element(page.getByText('Return to 2.5.0')).toBeVisible()
  await expect.element(page.getByText('Keep 2.6.0: the device has a higher rollback number in hardware')).toBeVisible()
  await expect.element(page.getByText('1: gw-9')).toBeVisible()
  await expect.element(page.getByText(/^1 of 8 keep 2\.6\.0\./)).toBeVisible()
  await expect.element(page.getByText(/^2 devices are updating and asked to stop\./)).toBeVisible()
  await expect.element(confirm()).toBeDisabled()
  await page.getByRole('textbox', { name: 'Reason' }).fill('It leaks memory')
  await expect.element(confirm()).toBeEnabled()
})

it('says that no device returns from a release signed before releases listed what they may return to', async () => {
  open({
    ...nothing,
    stays: [
      {
        reason: 'signed_before',
        text: '2.6.0 was signed before releases listed what they may return to',
        count: 2,
        sample: [device('gw-1'), device('gw-2')],
      },
    ],
  })
  await expect.element(page.getByText(/^No device returns\. All 2 keep 2\.6\.0\./)).toBeVisible()
  await expect
    .element(page.getByText('Keep 2.6.0: 2.6.0 was signed before releases listed what they may return to'))
    .toBeVisible()
})

it('says that no device has the release yet', async () => {
  open(nothing)
  await expect.element(page.getByText('No device has 2.6.0 yet. The rollout ends without a rollback.')).toBeVisible()
})

it('lets a rollout be halted although the preview could not be loaded', async () => {
  const calls = open(new Error('no answer'))
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.getByRole('textbox', { name: 'Reason' }).fill('It leaks memory')
  await confirm().click()
  await expect.poll(() => calls.mock.lastCall?.[2]).toMatchObject({ body: { reason: 'It leaks memory' } })
})

it('has no other button to try a failed rollback again than its own', async () => {
  const calls = open(nothing, true)
  await page.getByRole('textbox', { name: 'Reason' }).fill('It leaks memory')
  await confirm().click()
  await expect.element(page.getByRole('alert')).toBeVisible()
  expect(page.getByRole('button', { name: 'Try again' }).elements()).toEqual([])
  await confirm().click()
  await expect.poll(() => calls).toHaveBeenCalledTimes(2)
})

it('a rollout that has ended is rolled back without a word of a halt, and says if no device has its release any more', async () => {
  const calls = open(nothing, false, '2026-06-01T13:00:00+00:00')
  await expect.element(page.getByText('No device of this rollout has 2.6.0 any more.')).toBeVisible()
  await expect.element(page.getByText(/^Devices with this release return to their previous one/)).toBeVisible()
  await page.getByRole('textbox', { name: 'Reason' }).fill('It leaks memory')
  await page.getByRole('button', { name: 'Roll back', exact: true }).click()
  await expect.poll(() => calls.mock.lastCall?.[2]).toMatchObject({ body: { reason: 'It leaks memory' } })
})

it('says which other rollouts may still install the release, and what stops them', async () => {
  open({ ...nothing, also_offered: [{ id: 'r4', name: 'Gateway firmware #4' }] })
  await expect
    .element(page.getByText(/^Gateway firmware #4 is open and may install 2\.6\.0 on other devices.*halt or cancel it/))
    .toBeVisible()
})
