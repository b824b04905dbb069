import { expect, it } from 'vitest'
import { project as readProject } from '../../contract/accounts/projects'
import { createPersonalProject } from '../../contract/accounts/project-changes'
import { call } from './support/call'
import { useConsole } from './support/console'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()

it('a project’s settings can be dragged or typed, are validated at their fields, and saved', async () => {
  const ines = await newUser(hosts())
  const { api, console } = hosts()
  const as = ines.token
  const { body: project } = await call(api, createPersonalProject, {}, { as, body: { name: 'Orchard' } })
  const page = await (await open(ines)).newPage()
  await page.goto(`${console}/organizations/none/projects/${project.id}/settings`)
  await page.waitForURL('**/settings/general')
  const save = () => page.getByRole('button', { name: 'Save', exact: true }).click()
  const heat = page.getByRole('group', { name: 'CPU temperature' })
  const load = page.getByRole('group', { name: 'CPU used' })

  // A handle and its input are one number; the sentence follows.
  await heat.getByRole('slider', { name: 'CPU temperature: warning from' }).press('ArrowLeft')
  await expect.poll(() => heat.getByRole('textbox', { name: 'Warning from' }).inputValue()).toBe('74')
  await heat.getByText('Warning from 74 °C, critical from 85 °C, cleared once the value was below for 5 min.').waitFor()

  // An error is shown at its own number, and nothing is lost.
  await load.getByRole('textbox', { name: 'Warning from' }).fill('95')
  await page.getByRole('textbox', { name: 'Polling interval' }).fill('')
  await save()
  await load.getByText('Warning must be below critical').waitFor()
  await page.getByText('Polling interval is required').waitFor()
  await load.getByRole('textbox', { name: 'Warning from' }).fill('70')
  await page.getByRole('textbox', { name: 'Polling interval' }).fill('5400')
  await page.getByText('s = 1 h 30 min').waitFor()
  await page.getByRole('switch', { name: 'Storage used' }).uncheck()
  await page.getByRole('switch', { name: 'Rollouts need approval by a second person' }).check()
  await save()
  await page.getByText('Saved', { exact: true }).waitFor()

  const { body: now } = await call(api, readProject, { projectId: project.id }, { as })
  expect(now.settings).toMatchObject({ polling_interval_s: 5400, require_approval: true })
  expect(now.settings.health_thresholds).toEqual({
    'cpu.temperature_celsius': { warning: 74, critical: 85, clear_after_s: 300 },
    'cpu.usage_percent': { warning: 70, critical: 90, clear_after_s: 300 },
    'memory.used_percent': { warning: 80, critical: 90, clear_after_s: 300 },
  })
  await page.reload()
  await expect.poll(() => heat.getByRole('textbox', { name: 'Warning from' }).inputValue()).toBe('74')
  await expect.poll(() => page.getByRole('switch', { name: 'Storage used' }).isChecked()).toBe(false)
})
