import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import { useState } from 'react'
import type { Infer } from 'superstruct'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { page } from 'vitest/browser'
import type { Release } from '../../../contract/updates/releases'
import { NewRollout } from '../../../contract/updates/rollouts'
import type { Tag } from '../../../contract/fleet/tags'
import { ApiError } from '../../../src/api/failure'
import { FailureFields } from '../../../src/features/releases/rollouts/plan-form/failure-fields'
import { toDraft, toPlan, wavesOf } from '../../../src/features/releases/rollouts/plan-form/plan-draft'
import { PaceFields, ScheduleFields } from '../../../src/features/releases/rollouts/plan-form/schedule-fields'
import { TargetFields } from '../../../src/features/releases/rollouts/plan-form/target-fields'
import { WaveFields } from '../../../src/features/releases/rollouts/plan-form/wave-fields'
import { BoundForm } from '../../../src/system/form/bound-form'
import { useForm } from '../../../src/system/form/form'
import { createModals } from '../../../src/system/modals/modals'
import { makeSystem, mount } from './system'

type Body = Infer<typeof NewRollout>
const save = vi.fn<(body: Body) => Promise<void>>()
beforeEach(() => void save.mockReset())

const preview_hash = '0'.repeat(64)
const release = { id: '01K0000000000000000000REL1', name: 'Gateway', version: 20_500 } as Release
const tag = (name: string) => ({ id: name, name }) as Tag

const Sample = () => {
  const [draft, setDraft] = useState(() => toDraft({ target: { everything: true }, waves: wavesOf('once', 0) }))
  const form = useForm({ schema: NewRollout, read: () => ({ ...toPlan(draft), preview_hash }), save, onSaved: () => {} })
  const part = {
    draft,
    onChange: (changes: Partial<typeof draft>) => setDraft((known) => ({ ...known, ...changes })),
    errorOf: (name: string) => form.field(name).error,
    groupError: form.groupError,
  }
  return (
    <BoundForm form={form} submitLabel="Start rollout">
      <TargetFields
        {...part}
        projectId="p"
        tags={[tag('canary'), tag('lab')]}
        models={[{ id: 'gw', name: 'Gateway', devices: 12 }]}
      />
      <WaveFields {...part} tags={[tag('canary'), tag('lab')]} />
      <ScheduleFields {...part} />
      <PaceFields {...part} concurrent={10} />
      <FailureFields {...part} release={release} />
    </BoundForm>
  )
}

const show = async () => {
  const top = createRootRoute()
  const route = createRoute({ getParentRoute: () => top, path: '/', component: Sample })
  const router = createRouter({ routeTree: top.addChildren([route]), history: createMemoryHistory() })
  const system = makeSystem()
  const modals = createModals()
  system.modals.actor = modals
  onTestFinished(() => modals.stop())
  mount(system, <RouterProvider router={router} />)
  await expect.element(start).toBeVisible()
}
const start = page.getByRole('button', { name: 'Start rollout', exact: true })
const box = (name: string) => page.getByRole('textbox', { name, exact: true })
const toggle = (name: string) => page.getByRole('switch', { name, exact: true })
const wave = (n: number) => page.getByRole('group', { name: `Wave ${n}`, exact: true })
const choose = async (field: string, option: string) => {
  await page.getByRole('combobox', { name: field, exact: true }).click()
  await page.getByRole('option', { name: option }).click()
}

it('every part of a plan is sent as it was typed', async () => {
  save.mockResolvedValue()
  await show()
  await toggle('All compatible devices').click()
  await choose('With any of the tags', 'canary')
  await choose('Models', 'Gateway (gw), 12 devices')
  await box('Installed versions').fill('20300, 20400')
  await box('Name or serial number contains').fill('north')
  await page.getByText('Include', { exact: true }).click()
  await page.getByRole('button', { name: 'Add wave' }).click()
  await wave(2).getByRole('textbox', { name: 'Up to', exact: true }).fill('100')
  await wave(1).getByText('Tag', { exact: true }).click()
  await choose('Tag', 'lab')
  await wave(1).getByText('Gate of wave 1').click()
  await wave(1).getByRole('textbox', { name: 'May fail at most' }).fill('5')
  await wave(1).getByRole('textbox', { name: 'Soak time' }).fill('7200')
  await wave(1).getByRole('switch', { name: 'Health gate' }).click()
  await wave(1).getByRole('switch', { name: 'Wait for a person' }).click()
  await toggle('Maintenance window').click()
  await page.getByRole('checkbox', { name: 'Sat' }).click()
  await page.getByRole('checkbox', { name: 'Sun' }).click()
  await box('To').fill('05:30')
  await box('Devices at a time').fill('7')
  await box('Starts per minute').fill('2')
  await box('Retries').fill('0')
  await box('Priority').fill('80')
  await box('First wait before a retry').fill('60')
  await box('Times longer after each failure').fill('3')
  await box('Longest wait').fill('3600')
  await page.getByText('Halt and roll back').click()
  await toggle('Allow downgrade').click()
  await box('Reason for the downgrade').fill('The new one fails at night')
  await box('Type 20500 to confirm the version').fill('20500')
  await start.click()
  const usual = { min_success_percent: 90, max_failure_percent: 10, min_sample: 3, soak_s: 0, then: 'continue' }
  await expect.poll(() => save.mock.calls.length).toBe(1)
  const lab = { ...usual, max_failure_percent: 5, soak_s: 7200, health_gate: true, then: 'wait_for_user' }
  expect(save.mock.calls[0]?.[0]).toEqual({
    target: { tags_any: ['canary'], models: ['gw'], versions: [20_300, 20_400], query: 'north' },
    membership: 'dynamic',
    waves: [
      { kind: 'tag', value: 'lab', gate: lab },
      { kind: 'percent', value: 100, gate: usual },
    ],
    window: { days: ['mon', 'tue', 'wed', 'thu', 'fri'], from: '22:00', to: '05:30', zone: 'device' },
    max_concurrent: 7,
    start_rate_per_min: 2,
    retries: 0,
    priority: 80,
    backoff: { first_s: 60, factor: 3, max_s: 3600 },
    on_failure: 'halt_and_roll_back',
    allow_downgrade: { reason: 'The new one fails at night', version: 20_500 },
    preview_hash,
  })
})

it('a refusal is shown at its field, by the form or by the server, and nothing typed is lost', async () => {
  const message = 'This is not the version of the release, 20500'
  const details = [{ field: 'allow_downgrade.version', code: 'mismatch', message }]
  const failure = {
    status: 422,
    code: 'invalid',
    message: 'Some fields are invalid',
    details,
    requestId: undefined,
    requiredPermission: undefined,
    requiredPlan: undefined,
    retryAfterS: undefined,
    about: undefined,
  }
  save.mockRejectedValue(new ApiError(failure))
  await show()
  const upTo = wave(1).getByRole('textbox', { name: 'Up to', exact: true })
  await upTo.fill('90')
  await box('Starts per minute').fill('often')
  await toggle('Allow downgrade').click()
  await box('Reason for the downgrade').fill('The new one fails at night')
  await box('Type 20500 to confirm the version').fill('20400')
  await start.click()
  await expect.element(page.getByText('Waves must rise and end at 100 %')).toBeVisible()
  await expect.element(box('Starts per minute')).toHaveAccessibleDescription('Start rate per min must be an integer')
  await expect.element(box('Starts per minute')).toHaveValue('often')
  expect(save).not.toHaveBeenCalled()

  await upTo.fill('100')
  await box('Starts per minute').fill('')
  await start.click()
  await expect.element(box('Type 20500 to confirm the version')).toHaveAccessibleDescription(message)
  await expect.element(box('Type 20500 to confirm the version')).toHaveValue('20400')
  await expect.element(box('Reason for the downgrade')).toHaveValue('The new one fails at night')
})
