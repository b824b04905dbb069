import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { bundle } from '../../contract/secure-boot/bundles'
import { fusePlan } from '../../contract/secure-boot/fuse-plan'
import { checkIn } from '../../contract/device/endpoints'
import { checkInBody } from '../support/devices'
import { checkInThemes } from './every-route/check-in-themes'
import { openPageCheck, withAxe } from './every-route/check-page'
import { openFleet } from './every-route/fleet'
import { makeMcubootFiles } from './support/boot-images'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { newUser } from './support/hosts'

const { hosts, open } = useConsole()
const files = makeMcubootFiles()
const bytes = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer })

const visit = async () => {
  const ines = await newUser(hosts())
  const projectId = await projectOf(hosts(), ines)
  const context = await open(ines)
  await withAxe(context)
  const page = await context.newPage()
  await page.emulateMedia({ reducedMotion: 'reduce' })
  const list = `${hosts().console}/organizations/none/projects/${projectId}/secure-boot/list`
  const idOf = () => new URL(page.url()).pathname.split('/').at(-1) ?? ''
  const read = async () => (await call(hosts().api, bundle, { bundleId: idOf() }, { as: ines.token })).body
  return { ines, projectId, page, list, idOf, read }
}

const choosePlatform = async (page: Page, name: string) => {
  await page.getByRole('combobox', { name: 'Platform' }).click()
  await page.getByRole('option', { name, exact: true }).click()
}

const chip = (page: Page, word: string) => page.locator('header').getByText(word, { exact: true })

it('§2: leads from an empty list through form, upload and checks to a printed plan, its script and the whole bundle', async () => {
  const { ines, projectId, page, list, idOf, read } = await visit()
  const field = (name: string) => page.getByRole('textbox', { name, exact: true })
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  await page.goto(list)
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()
  await page.getByRole('link', { name: 'Add Bundle' }).click()

  // Each wrong field is named; nothing that was typed is lost.
  await field('Hardware models').fill('gw-imx8m')
  await button('Add fuse word').click()
  await field('Bank').fill('0')
  await field('Word').fill('300')
  await button('Save').click()
  await page.getByText('Name is required', { exact: true }).first().waitFor()
  await page.getByText('Word must be between 0 and 255').waitFor()
  expect(await field('Hardware models').inputValue()).toBe('gw-imx8m')
  await page.getByRole('link', { name: 'Secure Boot', exact: true }).last().click()
  await page.getByRole('alertdialog').waitFor()
  await page.keyboard.press('Escape')
  await button('Remove fuse word 1').click()

  await field('Name').fill('Sensor boot')
  await choosePlatform(page, 'Microcontrollers with MCUboot')
  await page.getByText('Required parts: First stage, Kernel or application.', { exact: false }).waitFor()
  await field('Key hash').fill(files.keyHash.toUpperCase())
  await button('Add key').click()
  await field('Public key').fill(files.publicKey)
  await button('Save').click()
  await page.getByRole('heading', { name: 'Sensor boot', level: 1 }).waitFor()
  await chip(page, 'Draft').waitFor()
  expect(await read()).toMatchObject({ version: 1, key_hash: files.keyHash, hardware_models: ['gw-imx8m'] })

  // Roles are proposed; both files go on in the upload panel.
  await page
    .getByLabel('Add parts')
    .setInputFiles([bytes('mcuboot.bin', files.bootLoader), bytes('app.signed.bin', files.application)])
  expect(await page.getByRole('combobox', { name: 'Role of mcuboot.bin' }).inputValue()).toBe('First stage')
  expect(await page.getByRole('combobox', { name: 'Role of app.signed.bin' }).inputValue()).toBe('Kernel or application')
  await button('Upload 2 parts').click()
  const required = page.getByRole('region', { name: 'Required parts' })
  await required.getByText('2 of 2').waitFor()
  await page.getByRole('button', { name: 'close file upload progress' }).click()

  await button('Check bundle').click()
  await chip(page, 'Ready').waitFor()
  const checks = page.getByRole('region', { name: 'Checks' })
  await checks.getByRole('button', { name: /^Show \d+ passed/ }).click()
  await checks.getByText('The ecdsa signature is valid', { exact: true }).waitFor()
  await checks
    .getByText(/bytes 0x[0-9a-f]+ to 0x/)
    .first()
    .waitFor()
  await page.getByRole('table', { name: 'Parts' }).getByText('Version: 2.4.0').waitFor()
  await button('Show chart').click()
  expect(await page.locator('g[aria-current]').textContent()).toContain('ready')
  await button('Hide chart').click()

  // The plan on the page is that of the server, with a mark at every step that cannot be undone.
  const planOfBlank = { ...fusePlan, path: `${fusePlan.path}?assume=blank` as const }
  const { body: plan } = await call(hosts().api, planOfBlank, { bundleId: idOf() }, { as: ines.token })
  const steps = page.getByRole('list', { name: 'Steps of the fuse plan' }).getByRole('listitem')
  expect(await steps.count()).toBe(plan.plan.length)
  expect(await steps.filter({ hasText: 'Cannot be undone' }).count()).toBe(plan.irreversible_count)
  expect(plan.irreversible_count).toBeGreaterThan(0)
  await button('Show step chart').click()
  const stepChart = page.getByRole('region', { name: 'Chart of a step' })
  await stepChart.getByRole('img', { name: /^Steps: / }).waitFor()
  expect(await stepChart.locator('g[aria-current]').allTextContents()).toEqual(
    expect.arrayContaining([...new Set(plan.plan.map(({ state }) => state))]),
  )
  await button('Hide step chart').click()

  expect(await checkInThemes(page, openPageCheck(page).settle, 'ready bundle')).toEqual([])

  // On paper there is the plan alone.
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
  const sheet = page.locator('[data-sheet]')
  expect(await sheet.getByRole('heading', { name: 'Fuse plan: Sensor boot' }).isVisible()).toBe(true)
  expect(await sheet.getByText('CANNOT BE UNDONE', { exact: true }).count()).toBe(plan.irreversible_count)
  expect(await page.getByRole('navigation', { name: 'Project' }).isVisible()).toBe(false)
  expect(await sheet.evaluate((element) => getComputedStyle(element).color)).toBe('rgb(0, 0, 0)')
  const pdf = await page.pdf({ format: 'A4' })
  const pages = pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)?.length ?? 0
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-')
  expect(pages).toBeGreaterThan(0)
  expect(pages).toBeLessThanOrEqual(plan.plan.length)
  await page.emulateMedia({ media: 'screen', colorScheme: 'light' })

  // The script needs the name of the bundle.
  await button('Download script').click()
  const dialog = page.getByRole('alertdialog')
  const confirm = dialog.getByRole('button', { name: 'Download script' })
  expect(await confirm.isDisabled()).toBe(true)
  await dialog.getByRole('textbox').fill('Sensor boot')
  const [script] = await Promise.all([page.waitForEvent('download'), confirm.click()])
  expect(script.suggestedFilename()).toBe('fuse-plan-Sensor-boot-v1.sh')
  expect(await readFile(await script.path(), 'utf8')).toMatch(/^#!/)
  await dialog.waitFor({ state: 'hidden' })
  const [tar] = await Promise.all([page.waitForEvent('download'), button('Download').click()])
  const packed = (await readFile(await tar.path())).toString('latin1')
  for (const name of ['manifest.json', 'mcuboot.bin', 'app.signed.bin']) expect(packed).toContain(name)

  // Archived, and back as a draft.
  await button('More actions').click()
  await page.getByRole('menuitem', { name: 'Archive bundle' }).click()
  await dialog.getByRole('button', { name: 'Archive bundle' }).click()
  await chip(page, 'Archived').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await chip(page, 'Draft').waitFor()

  // A device reports it: the bundle is in use, and the difference is named on both pages.
  await button('Check bundle').click()
  await chip(page, 'Ready').waitFor()
  const device = await (await openFleet(hosts(), ines, projectId, '0'.repeat(64))).add('gw-0417-north')
  const report = { state: 'closed' as const, rollback_version: 1, bundle_id: idOf(), key_hash: '0'.repeat(64) }
  await call(hosts().api, checkIn, {}, { as: device.token, body: checkInBody({ secure_boot: report }) })
  await chip(page, 'In use: Reported by gw-0417-north').waitFor()
  const applied = page.getByRole('region', { name: 'Devices', exact: true })
  await applied
    .getByText('Drift: The device has a higher rollback version: it refuses the images of this bundle.', { exact: true })
    .waitFor()
  await applied.getByText('reported 1, expected 0', { exact: true }).waitFor()
  await applied.getByRole('link', { name: 'gw-0417-north' }).click()
  await page.getByText('No key is burned into the device', { exact: false }).waitFor()
  await page
    .getByRole('region', { name: 'Secure boot' })
    .getByRole('link', { name: /Sensor boot/ })
    .click()
  await page.getByRole('heading', { name: 'Sensor boot', level: 1 }).waitFor()

  // A release names it; each page leads to the other.
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/list/add`)
  await field('Name').fill('Firmware')
  await field('Hardware models').fill('gw-imx8m')
  await page.getByRole('combobox', { name: 'Secure boot bundle' }).click()
  await page.getByRole('option', { name: 'Sensor boot (1)', exact: true }).click()
  await button('Save').click()
  await page.getByRole('heading', { name: 'Firmware', level: 1 }).waitFor()
  await page.goto(page.url().replace(/\/assets$/, '/status'))
  await page.getByRole('link', { name: 'Sensor boot (1)', exact: true }).click()
  await page
    .getByRole('region', { name: 'Releases that need it' })
    .getByRole('link', { name: /^Firmware/ })
    .waitFor()
})

it('a private key in a part is refused, its bytes are gone, and the page says so', async () => {
  const { page, list, read } = await visit()
  await page.goto(`${list}/add`)
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Leaky boot')
  await choosePlatform(page, 'Microcontrollers with MCUboot')
  await page.getByRole('textbox', { name: 'Hardware models' }).fill('gw-imx8m')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('heading', { name: 'Leaky boot', level: 1 }).waitFor()
  const leaked = Buffer.concat([files.bootLoader, Buffer.from(files.privateKey)])
  await page.getByLabel('Add parts').setInputFiles([bytes('mcuboot.bin', leaked)])
  await page.getByRole('button', { name: 'Upload 1 part', exact: true }).click()
  await page.getByText('A private key was found in mcuboot.bin. The bytes were deleted at once', { exact: false }).waitFor()
  expect((await read()).artifacts).toMatchObject([{ state: 'rejected', reject_code: 'private_key', sha256: null }])
  expect((await read()).state).toBe('incomplete')
  // The list says it too.
  await page.goto(list)
  await page
    .getByRole('row', { name: /Leaky boot/ })
    .getByText('Incomplete')
    .waitFor()
})
