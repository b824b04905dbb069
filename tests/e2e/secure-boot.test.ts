import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { archiveBundle, bundle, createBundle, type NewBundle, updateBundle } from '../../contract/updates/secure-boot/bundles'
import { fusePlan, testKeyPhrase } from '../../contract/updates/secure-boot/fuse-plan'
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
  await expect.poll(() => field('Hardware models').inputValue()).toBe('gw-imx8m')
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
  await expect.poll(() => read()).toMatchObject({ version: 1, key_hash: files.keyHash, hardware_models: ['gw-imx8m'] })

  // Roles are proposed; both files go on in the upload panel.
  await page
    .getByLabel('Add parts')
    .setInputFiles([bytes('mcuboot.bin', files.bootLoader), bytes('app.signed.bin', files.application)])
  await expect.poll(() => page.getByRole('combobox', { name: 'Role of mcuboot.bin' }).inputValue()).toBe('First stage')
  await expect
    .poll(() => page.getByRole('combobox', { name: 'Role of app.signed.bin' }).inputValue())
    .toBe('Kernel or application')
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
  await expect.poll(() => page.locator('g[aria-current]').textContent()).toContain('ready')
  await button('Hide chart').click()

  // The plan on the page is that of the server, with a mark at every step that cannot be undone.
  const planOfBlank = { ...fusePlan, path: `${fusePlan.path}?assume=blank` as const }
  const { body: plan } = await call(hosts().api, planOfBlank, { bundleId: idOf() }, { as: ines.token })
  const steps = page.getByRole('list', { name: 'Steps of the fuse plan' }).getByRole('listitem')
  await expect.poll(() => steps.count()).toBe(plan.plan.length)
  await expect.poll(() => steps.filter({ hasText: 'Cannot be undone' }).count()).toBe(plan.irreversible_count)
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
  await expect.poll(() => sheet.getByRole('heading', { name: 'Fuse plan: Sensor boot' }).isVisible()).toBe(true)
  await expect.poll(() => sheet.getByText('CANNOT BE UNDONE', { exact: true }).count()).toBe(plan.irreversible_count)
  await expect.poll(() => page.getByRole('navigation', { name: 'Project' }).isVisible()).toBe(false)
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
  await expect.poll(() => confirm.isDisabled()).toBe(true)
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

// RFC 8032, 7.1: the private half is printed there.
const publishedKey = `-----BEGIN PUBLIC KEY-----
MCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=
-----END PUBLIC KEY-----
`
const fuseWord = {
  bank: 6,
  word: 0,
  name: 'SRK_0',
  value_hex: 'a',
  mask_hex: 'ffffffff',
  irreversible: true,
  purpose: 'key_hash' as const,
}

it('a bundle is edited, loses a key and gets it back, is compared with a device, filtered, revoked or deleted', async () => {
  const { ines, projectId, page, list, read } = await visit()
  const { api } = hosts()
  const as = ines.token
  const create = async (body: NewBundle) => (await call(api, createBundle, { projectId }, { as, body })).body
  const made = await create({
    name: 'Fuses',
    version: 2,
    platform: 'nxp-hab',
    hardware_models: ['gw-imx8m'],
    rollback_version: 2,
    keys: [
      { slot: 0, public_key_pem: files.publicKey },
      { slot: 1, public_key_pem: publishedKey },
    ],
    key_hash: 'ab'.repeat(32),
    fuse_config: { words: [fuseWord], close_step: null, debug_lock: 'open' },
  })
  await create({ name: 'Spare', version: 1, platform: 'mcuboot', hardware_models: ['gw-spare'] })
  const params = { bundleId: made.id }
  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const dialog = page.getByRole('alertdialog')
  const choose = async (action: string) => {
    await button('More actions').click()
    await page.getByRole('menuitem', { name: action }).click()
  }

  // Another user renames it meanwhile.
  await page.goto(`${list}/${made.id}`)
  await button('Edit').click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Name', exact: true }).first().fill('Gateway fuses')
  const headers = { 'if-match': `"${made.revision}"` }
  await call(api, updateBundle, params, { as, body: { name: 'Other fuses' }, headers })
  await form.getByRole('button', { name: 'Save', exact: true }).click()
  await form
    .getByRole('table', { name: 'What has changed' })
    .getByRole('row', { name: 'Name Fuses Other fuses Gateway fuses' })
    .waitFor()
  await form.getByRole('button', { name: 'Save my changes' }).click()
  await page.getByRole('heading', { name: 'Gateway fuses', level: 1 }).waitFor()
  expect(await read()).toMatchObject({
    name: 'Gateway fuses',
    keys: [{ slot: 0 }, { slot: 1 }],
    fuse_config: { words: [fuseWord] },
  })

  const keys = page.getByRole('region', { name: 'Keys', exact: true })
  const removal = (slot: number) => keys.getByRole('button', { name: `Remove the key of slot ${slot}` })
  await removal(0).click()
  await dialog.getByRole('button', { name: 'Remove key' }).click()
  await button('Undo').waitFor()
  await removal(1).waitFor()
  await expect.poll(() => removal(0).count()).toBe(0)
  expect((await read()).keys).toMatchObject([{ slot: 1, is_known_test_key: true }])
  await button('Undo').click()
  await removal(0).waitFor()
  expect((await read()).keys).toMatchObject([{ slot: 0 }, { slot: 1 }])

  // A published test key needs a typed phrase.
  const plan = page.getByRole('region', { name: 'Fuse plan', exact: true })
  const refused = plan.getByText('everybody can sign for this part', { exact: false })
  await refused.waitFor()
  await plan.getByRole('textbox', { name: `Type “${testKeyPhrase}” to plan with a published test key` }).fill(testKeyPhrase)
  await refused.waitFor({ state: 'hidden' })

  await choose('Archive bundle')
  await dialog.getByRole('button', { name: 'Archive bundle' }).click()
  await chip(page, 'Archived').waitFor()
  await choose('Restore bundle')
  await chip(page, 'Draft').waitFor()
  expect((await read()).state).toBe('draft')

  // A device reports other values: each difference is named, and what the plan would do about it.
  await call(api, archiveBundle, params, { as })
  const device = await (await openFleet(hosts(), ines, projectId, '0'.repeat(64))).add('gw-0417-north')
  const report = {
    state: 'open' as const,
    rollback_version: 1,
    bundle_id: made.id,
    key_hash: 'cd'.repeat(32),
    words: [{ bank: 6, word: 0, value_hex: 'f' }],
  }
  await call(api, checkIn, {}, { as: device.token, body: checkInBody({ secure_boot: report }) })
  await page.reload()
  const applied = page.getByRole('region', { name: 'Devices', exact: true })
  for (const text of [
    'The rollback version of the bundle is not burned into the device',
    'Another key is burned into the device',
    'The fuse word SRK_0 (bank 6, word 0) has other bits set in the device, which can never be cleared',
  ])
    await applied.getByText(`Drift: ${text}.`, { exact: true }).waitFor()
  await plan.getByRole('textbox', { name: 'Compare with a device' }).fill('gw-0417')
  await button('Compare with gw-0417-north').click()
  const row = (name: RegExp) => page.getByRole('table', { name: 'Reported and planned values' }).getByRole('row', { name })
  await row(/^Key hash (?:cd){32} (?:ab){32} Conflict$/).waitFor()
  await row(/^Rollback version 1 2 Will be written$/).waitFor()
  await row(/^SRK_0 0x0000000f 0x0000000a Conflict$/).waitFor()
  await plan.getByText('it cannot be replaced', { exact: false }).waitFor()
  await button('Show step chart').click()
  await page.getByRole('region', { name: 'Chart of a step' }).waitFor()
  expect(await checkInThemes(page, openPageCheck(page).settle, 'compared bundle')).toEqual([])

  await choose('Revoke bundle')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Key lost')
  await dialog.getByRole('textbox', { name: 'Type Gateway fuses to confirm' }).fill('Gateway fuses')
  await dialog.getByRole('button', { name: 'Revoke bundle' }).click()
  await chip(page, 'Revoked: Key lost').waitFor()
  await applied.getByText('Drift: The device boots by a revoked bundle.', { exact: true }).waitFor()

  // The list is filtered by state, platform and model; the URL keeps it.
  await page.goto(list)
  const fuses = page.getByRole('link', { name: 'Gateway fuses', exact: true })
  const spare = page.getByRole('link', { name: 'Spare', exact: true })
  for (const [filter, option] of [
    ['State', 'Draft'],
    ['Platform', 'Microcontrollers with MCUboot'],
    ['Model', 'gw-spare'],
  ] as const) {
    await page.getByRole('combobox', { name: filter, exact: true }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
    await fuses.waitFor({ state: 'hidden' })
    await spare.waitFor()
    await button(`Clear ${filter}`).click()
    await fuses.waitFor()
  }
  await page.goto(`${list}?state=draft&platform=nxp-hab`)
  await page.getByRole('heading', { name: 'Not Found' }).waitFor()
  await button('Clear filters').click()
  await fuses.waitFor()

  await spare.click()
  await page.getByRole('heading', { name: 'Spare', level: 1 }).waitFor()
  await choose('Delete bundle')
  await dialog.getByRole('button', { name: 'Delete bundle' }).click()
  await page.waitForURL(list)
  await fuses.waitFor()
  await spare.waitFor({ state: 'hidden' })
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
