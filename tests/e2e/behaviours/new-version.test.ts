import { expect, it } from 'vitest'
import { moveTime } from '../gestures/clock'
import { bytesCall as bytes } from '../gestures/files'
import { openTestPage, type TestPage } from '../gestures/test-page'
import { pageAt, scriptOf } from '../gestures/request-script'
import { useConsole } from '../support/console'
import { addFiles, assetsOf, draftOf, fileOf } from '../support/draft'
import { newUser } from '../support/hosts'

const { hosts, open } = useConsole()

const devices = scriptOf('devices-page')
const follow = ({ page }: TestPage) => page.getByRole('link', { name: 'Devices', exact: true }).first().click()
const updating = ({ page }: TestPage) => page.getByRole('heading', { name: 'Updating application…', exact: true }).waitFor()
const waits = ({ page }: TestPage) =>
  page.getByText('A new app version is available. It loads when your changes are saved and your uploads are done.')

/** A draft's assets page, from which the chunk of the devices page is missing. A reload shows no page until allowed. */
const prepare = async () => {
  const ines = await newUser(hosts())
  const draft = await draftOf(hosts(), ines)
  const stage = await openTestPage(await open(ines))
  const reload = pageAt(hosts().console)
  await stage.page.goto(draft.url)
  await stage.page.getByLabel('Add files').waitFor()
  await stage.wire.always(devices, 404)
  await stage.wire.always(reload, 204)
  return { ...stage, reload, assets: () => assetsOf(hosts(), ines, draft) }
}

it('§4, §8: a missing chunk shows both texts, and the page reloads after 1500 ms, not before', async () => {
  const stage = await prepare()
  const { page, wire, reload } = stage
  await follow(stage)
  await updating(stage)
  await page.getByText('A new app version is available. Reloading…', { exact: true }).first().waitFor()
  await moveTime(page, 1499)
  await updating(stage)
  await wire.asked(reload, 0)
  await moveTime(page, 1)
  await wire.asked(reload, 1)
})

it('R11: it waits while an upload runs, and reloads by itself when the file has arrived', async () => {
  const stage = await prepare()
  const { page, wire, reload, assets } = stage
  wire.hold(bytes)
  await addFiles(page, fileOf('app.bin'))
  await wire.held(bytes)
  await follow(stage)
  await waits(stage).waitFor()
  await moveTime(page, 1500)
  await wire.asked(reload, 0)
  await wire.pass(bytes)
  await updating(stage)
  await expect.poll(() => assets()).toEqual({ 'app.bin': 'ready' })
  await moveTime(page, 1500)
  await wire.asked(reload, 1)
})

it('R11: it waits while a form has unsaved changes, unless a person reloads', async () => {
  const stage = await prepare()
  const { page, wire, reload } = stage
  // The dialog before leaving is a separate chunk, and is missing as well.
  await wire.always(scriptOf('unsaved-changes'), 404)
  await page.getByRole('navigation', { name: 'Project' }).getByRole('link', { name: 'Settings' }).click()
  const name = page.getByRole('textbox', { name: 'Name', exact: true })
  await name.fill('Orchard South')
  await follow(stage)
  await waits(stage).waitFor()
  await expect.poll(() => name.inputValue()).toBe('Orchard South')
  await wire.asked(reload, 0)
  await page.getByRole('button', { name: 'Reload now' }).click()
  await updating(stage)
  await moveTime(page, 1500)
  await wire.asked(reload, 1)
})
