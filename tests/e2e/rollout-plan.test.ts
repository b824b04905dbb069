import { expect, it } from 'vitest'
import { createDevice, device as getDevice, updateDevice } from '../../contract/fleet/devices'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { releaseRollouts } from '../../contract/updates/rollouts'
import { createTag } from '../../contract/fleet/tags'
import { openFleet } from './every-route/fleet'
import { artifacts } from './support/artifacts'
import { call } from './support/call'
import { useConsole } from './support/console'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

const succeeding = [
  { type: 'update_accepted' },
  { type: 'download_started' },
  { type: 'download_completed' },
  { type: 'verification_passed' },
  { type: 'update_confirmed' },
] as const

/** The wall clock of UTC, some hours from now. */
const clock = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().slice(11, 16)

it('a plan with a tag wave, a window and the gate of a person is previewed, started and continued in the browser', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { api } = hosts()
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const projectId = project.id
  const made = await artifacts(hosts(), ines, projectId)
  const fleet = await openFleet(hosts(), ines, projectId, made.fingerprint)
  const devices = [await fleet.add('gw-0417'), await fleet.add('gw-0418'), await fleet.add('gw-0419')]
  const [canary, other] = devices
  if (!canary || !other) throw new Error('no devices')
  await call(api, createTag, { projectId }, { as, body: { name: 'canary', colour: 'ochre' } })
  const { body: row } = await call(api, getDevice, { deviceId: canary.id }, { as })
  const headers = { 'if-match': `"${row.revision}"` }
  await call(api, updateDevice, { deviceId: canary.id }, { as, headers, body: { tags: ['canary'] } })
  await call(api, createDevice, { projectId }, { as, body: { name: 'cam-0031', hardware_model: 'cam-rk3566' } })
  const releaseId = await made.signed({ name: 'Gateway', version: 20_500, bytes: Buffer.alloc(300, 'a') })

  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/list/${releaseId}/status`)
  await page.getByRole('button', { name: 'Start rollout', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('All at once').click()
  await dialog.getByRole('link', { name: 'Full plan…' }).click()
  await page.getByRole('heading', { name: 'Start a rollout of Gateway' }).waitFor()

  // The choice of the dialog is here: one wave of 100 %.
  const wave = (n: number) => page.getByRole('group', { name: `Wave ${n}`, exact: true })
  const box = (name: string) => page.getByRole('textbox', { name, exact: true })
  await expect.poll(() => wave(1).getByRole('textbox', { name: 'Up to' }).inputValue()).toBe('100')
  await page.getByRole('button', { name: 'Add wave' }).click()
  await page.getByText('Value is required. The preview follows.').waitFor()
  await wave(2).getByRole('textbox', { name: 'Up to' }).fill('100')
  await wave(1).getByText('Tag', { exact: true }).click()
  await wave(1).getByRole('combobox', { name: 'Tag' }).click()
  await page.getByRole('option', { name: 'canary' }).click()
  await wave(1).getByText('Gate of wave 1', { exact: false }).click()
  await wave(1).getByRole('switch', { name: 'Wait for a person' }).check()
  await page.getByRole('switch', { name: 'Maintenance window' }).check()
  await box('From').fill(clock(-1))
  await box('To').fill('soon')
  await box('Retries').fill('11')

  // Every device is listed with its wave, or with why it is left out.
  const listed = (name: string) => page.getByRole('row').filter({ hasText: name })
  // Only rows in sight are in the document.
  await page.getByRole('heading', { name: 'Each device' }).evaluate((heading) => heading.scrollIntoView())
  await listed('gw-0417').getByText('Wave 1').waitFor()
  await listed('gw-0418').getByText('Wave 2').waitFor()
  await listed('cam-0031').getByText('The release is for other hardware', { exact: false }).waitFor()

  // A refused plan names field and rule, and keeps what was typed.
  const start = page.getByRole('button', { name: 'Start rollout', exact: true })
  await expect.poll(() => start.getAttribute('aria-disabled')).toBeNull()
  await start.click()
  await page.getByText('Enter a time such as 04:00').waitFor()
  await page.getByText('Retries must be between 0 and 10').waitFor()
  expect([await box('To').inputValue(), await box('Retries').inputValue()]).toEqual(['soon', '11'])
  await box('To').fill(clock(2))
  await box('Retries').fill('2')
  await start.click()
  await page.getByText('Running, wave 1 of 2').waitFor()
  // The page of the rollout, not that of its release.
  await page.getByRole('heading', { level: 1, name: 'Gateway #1' }).waitFor()

  const { body } = await call(api, releaseRollouts, { releaseId }, { as })
  expect(body.rollouts).toMatchObject([
    {
      state: 'running',
      retries: 2,
      window: { zone: 'device' },
      waves: [{ tag: 'canary' }, { tag: null }],
      counts: { targeted: 3 },
    },
  ])
  // The other wave is not open: this device is offered nothing.
  await fleet.install(other, ...succeeding)
  await fleet.install(canary, ...succeeding)
  await page.getByText('Wave 1 has passed and waits for a person').first().waitFor()
  const versionOf = async (deviceId: string) => (await call(api, getDevice, { deviceId }, { as })).body.update?.state
  expect([await versionOf(canary.id), await versionOf(other.id)]).toEqual(['succeeded', 'queued'])
  await page.getByRole('button', { name: 'Open next wave' }).click()
  await dialog.getByRole('button', { name: 'Open next wave' }).click()
  await page.getByText('Running, wave 2 of 2').waitFor()
  await fleet.install(other, ...succeeding)
  await expect.poll(() => versionOf(other.id)).toBe('succeeded')
})
