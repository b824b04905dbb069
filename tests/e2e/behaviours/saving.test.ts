import { expect, it } from 'vitest'
import { createPersonalProject } from '../../../contract/accounts/project-changes'
import { openTestPage } from '../gestures/test-page'
import { callOf } from '../gestures/request-script'
import { useConsole } from '../support/console'
import { newUser } from '../support/hosts'

const { hosts, open } = useConsole()

it("§4: while a form submits, 'Save' reads 'Saving...' and is disabled; afterwards it is restored", async () => {
  const { page, wire } = await openTestPage(await open(await newUser(hosts())))
  const creating = callOf(createPersonalProject)
  wire.hold(creating)
  await page.goto(`${hosts().console}/organizations/none/projects/add`)
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  const save = page.getByRole('button', { name: 'Save', exact: true })
  const saving = page.getByRole('button', { name: 'Saving...', exact: true })
  await name.fill('Orchard')
  expect([await save.isEnabled(), await saving.count()]).toEqual([true, 0])
  await save.click()
  await wire.held(creating)
  await saving.waitFor()
  expect([await saving.isDisabled(), await save.count()]).toEqual([true, 0])
  // Neither a second press nor Enter submits again.
  await saving.click({ force: true })
  await name.press('Enter')

  await wire.refuse(creating, 500)
  await save.waitFor()
  expect([await save.isEnabled(), await name.inputValue()]).toEqual([true, 'Orchard'])
  await wire.asked(creating, 1)
  await save.click()
  await wire.asked(creating, 2)
  await wire.pass(creating)
  await page.getByRole('heading', { name: 'Monitor' }).waitFor()
})
