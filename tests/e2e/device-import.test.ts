import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { root } from '../../contract/ddi/endpoints'
import { pathOf } from '../../contract/core/endpoint'
import type { Page } from './support/browser'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()

const fileOf = (token: string) => ({
  name: 'fleet.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`controller_id,security_token\ncam-1,${token}\ncam-2,\nhas space,x\n`),
})
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

const scene = async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list`)
  await page.getByRole('link', { name: 'Import', exact: true }).click()
  await page.getByRole('heading', { name: 'Import Devices' }).waitFor()
  return { projectId, page }
}

const check = async (page: Page, token: string) => {
  await page.locator('input[type=file]').setInputFiles(fileOf(token))
  await page.getByLabel('Hardware model').fill('gw')
  await button(page, 'Check').click()
  await page.getByText('A controller id is 1 to 128 visible characters').waitFor()
}

it('checks a file, imports what is right, counts the devices that arrive, and takes back those that never did', async () => {
  const { projectId, page } = await scene()
  await check(page, 'token-of-the-first-camera-1')
  await page.getByText('1 new device without a token').waitFor()
  await page.getByText('Not Found. After an import').waitFor()
  await button(page, 'Import 2 devices').click()
  await page.getByText('2 devices imported.').waitFor()
  await page.getByText('Seen 0 of 2').waitFor()
  // Another check of the same file shows what it finds now, in the place of the result of the import.
  await button(page, 'Check').click()
  await page.getByText('2 devices imported.').waitFor({ state: 'detached' })
  await page.getByText('New devices', { exact: true }).waitFor()
  expect(await page.getByRole('button', { name: /^Import \d/ }).count()).toBe(0)
  const address = `${hosts().api}${pathOf(root.path, { tenant: 'DEFAULT', controllerId: 'cam-1' })}`
  const poll = await fetch(address, { headers: { authorization: 'TargetToken token-of-the-first-camera-1' } })
  expect(poll.status).toBe(200)
  await page.reload()
  await page.getByText('Seen 1 of 2').waitFor()
  await page.getByRole('link', { name: '1 not yet' }).click()
  await page.getByRole('link', { name: 'cam-2' }).waitFor()
  await expect.poll(() => page.getByRole('link', { name: 'cam-1' }).count()).toBe(0)
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/import`)
  await button(page, 'Undo').click()
  const question = page.getByRole('alertdialog', { name: 'Delete 1 device never seen?' })
  await question.getByText('The 1 device that contacted this server').waitFor()
  await question.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Seen 1 of 1').waitFor()
  await expect.poll(() => button(page, 'Undo').count()).toBe(0)
})

it('says what may have happened when an import is cancelled or gets no answer, and the same file can be sent again', async () => {
  const { page } = await scene()
  await check(page, 'token-of-the-first-camera-2')
  const imports = '**/devices/import?dry_run=false*'
  await page.route(imports, () => {})
  await button(page, 'Import 2 devices').click()
  // The bar has no end: it says what is imported, and counts the seconds.
  await page.getByText('Importing 2 devices: 2 s so far.').waitFor()
  await button(page, 'Cancel').click()
  await page.getByText('The import was cancelled. If the server had not finished').waitFor()
  await page.unroute(imports)
  await page.route(imports, (route) => route.abort())
  await button(page, 'Import 2 devices').click()
  await page.getByText('The control center cannot be reached at the moment.').waitFor()
  await page.unroute(imports)
  await button(page, 'Import 2 devices').click()
  await page.getByText('2 devices imported.').waitFor()
})

it('makes the files of a hawkBit client with a token shown once, as an archive, and checks a pasted device.json', async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/list/add`)
  await page.getByRole('textbox', { name: 'Name' }).fill('Camera 9')
  await page.getByRole('textbox', { name: 'Hardware model' }).fill('gw')
  await page.getByText('hawkBit client', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Serial number' }).fill('cam-9')
  await button(page, 'Save').click()
  await page.getByRole('heading', { name: 'Device token' }).waitFor()
  // A model that the project does not list has no client, so the page knows no files for it.
  await expect.poll(() => page.getByRole('link', { name: 'Config Generator' }).count()).toBe(0)
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/devices/device-config-generator`)
  await page.getByText('RAUC', { exact: true }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Cameras')
  await page.getByRole('textbox', { name: 'Hardware model' }).fill('gw')
  await button(page, 'Generate').click()
  await page.getByText('Copy these files now. The token is not shown again.').waitFor()
  await page.getByText('gateway_token = enr_').waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download rauc-config.tar' }).click(),
  ])
  expect(
    execFileSync('tar', ['-tf', await download.path()], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  ).toEqual([
    'etc/rauc-hawkbit-updater/config.conf',
    'usr/lib/rauc-hawkbit-updater/prepare',
    'etc/systemd/system/rauc-hawkbit-updater.service',
  ])
  await page.reload()
  await page.getByRole('heading', { name: 'Config Generator' }).waitFor()
  await expect.poll(() => page.getByText('gateway_token').count()).toBe(0)
  const pasted = page.getByRole('textbox', { name: 'Content of the file' })
  await pasted.fill('[]')
  await button(page, 'Check').click()
  await page.getByText('This is not a JSON object').waitFor()
  await pasted.fill('{"schema":1,"server_url":"ftp://a"}')
  await button(page, 'Check').click()
  await page.getByText('Server URL must be an http or https origin without a path').waitFor()
})
