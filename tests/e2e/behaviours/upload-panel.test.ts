import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { removeFile, slowDisk, sparseFile } from '../gestures/files'
import type { BrowserContext, Page, Route } from '../support/browser'
import { release } from '../../../contract/updates/releases'
import { call } from '../support/call'
import { useConsole } from '../support/console'
import { addFiles, assetsOf, draftOf, fileOf } from '../support/draft'
import { subscriber } from '../support/hosts'

const { hosts, open } = useConsole()

/** 3.5 GiB. */
const limit = 3_758_096_384
const panelOf = (page: Page) => page.getByRole('region', { name: 'Upload Progress', exact: true })
const close = (page: Page) => panelOf(page).getByRole('button', { name: 'close file upload progress', exact: true }).click()

/** Holds upload requests until released. */
const holdBytes = async (context: BrowserContext) => {
  const held: Route[] = []
  let holding = true
  await context.route(`${hosts().api}/uploads/*`, (route) => {
    if (!holding || route.request().method() !== 'PATCH') return route.fallback()
    held.push(route)
  })
  const count = (wanted: number) => expect.poll(() => held.length).toBe(wanted)
  const letGo = async () => {
    holding = false
    await Promise.all(held.map((route) => route.fallback()))
  }
  return { count, letGo }
}

const prepare = async () => {
  const ines = await subscriber(hosts())
  const draft = await draftOf(hosts(), ines)
  const context = await open(ines)
  const page = await context.newPage()
  await page.goto(draft.url)
  await page.getByLabel('Add files').waitFor()
  const hashOf = async () =>
    (await call(hosts().api, release, { releaseId: draft.releaseId }, { as: ines.token })).body.assets[0]?.sha256
  return { context, page, assets: () => assetsOf(hosts(), ines, draft), hashOf }
}

it('§4: closing clears the rows and hides the panel; running uploads continue hidden, and only a new file shows it again', async () => {
  const { context, page, assets } = await prepare()
  const bytes = await holdBytes(context)
  await addFiles(page, [fileOf('one.bin'), fileOf('two.bin')])
  await bytes.count(2)
  await panelOf(page).getByText('one.bin').first().waitFor()
  await close(page)
  await panelOf(page).waitFor({ state: 'detached' })

  // Neither its progress nor its end shows it again.
  const came: string[] = []
  await page.exposeFunction('panelCame', () => void came.push('panel'))
  await page.evaluate(() => {
    new MutationObserver(() => {
      if (document.querySelector('[aria-label="close file upload progress"]')) Reflect.get(window, 'panelCame')()
    }).observe(document, { subtree: true, childList: true })
  })
  await bytes.letGo()
  for (const name of ['one.bin', 'two.bin']) await page.getByRole('row', { name }).getByText('Ready', { exact: false }).waitFor()
  expect([came, await assets()]).toEqual([[], { 'one.bin': 'ready', 'two.bin': 'ready' }])

  await addFiles(page, [fileOf('three.bin')])
  await panelOf(page).getByText('1 of 1 done').waitFor()
  await expect.poll(() => panelOf(page).getByText('one.bin').count()).toBe(0)
  expect(await panelOf(page).getByText('three.bin').count()).toBeGreaterThan(0)
})

it('§5: a single file of more than 3.5 GiB is refused with its exact text; in the panel each file has a bar, and the panel can be collapsed', async () => {
  const { context, page, assets } = await prepare()
  const path = await sparseFile('huge.bin', limit + 1)
  await addFiles(page, path)
  await panelOf(page).getByText('File size must be less than 3.5 GB', { exact: true }).waitFor()
  await expect.poll(() => assets()).toEqual({})
  await removeFile(path)
  await close(page)

  const bytes = await holdBytes(context)
  await addFiles(page, [fileOf('one.bin'), fileOf('two.bin')])
  await bytes.count(2)
  const bars = panelOf(page).getByRole('progressbar')
  for (const name of ['one.bin', 'two.bin']) await panelOf(page).getByRole('progressbar', { name, exact: true }).waitFor()
  await panelOf(page).getByRole('button', { name: 'Hide the files' }).click()
  await bars.first().waitFor({ state: 'detached' })
  await panelOf(page).getByRole('button', { name: 'Show the files' }).click()
  await expect.poll(() => bars.count()).toBe(2)
  await bytes.letGo()
  await panelOf(page).getByText('2 of 2 done').waitFor()

  // Exactly the allowed size is accepted; the test does not wait until so much has been read.
  await slowDisk(context)
  await page.reload()
  await page.getByLabel('Add files').waitFor()
  const largest = await sparseFile('largest.bin', limit)
  await addFiles(page, largest)
  await panelOf(page).getByText('starting', { exact: true }).waitFor()
  await panelOf(page).getByRole('button', { name: 'Cancel largest.bin', exact: true }).click()
  await panelOf(page).getByText('cancelled', { exact: true }).waitFor()
  await removeFile(largest)
})

it('§5: of several files each empty or too large one is refused in the panel, and no asset is created for it', async () => {
  const { page, assets } = await prepare()
  const sizes = { 'empty.bin': 0, 'huge.bin': limit + 1, 'whole.bin': 100 }
  const paths = await Promise.all(Object.entries(sizes).map(([name, size]) => sparseFile(name, size)))
  await addFiles(page, paths)
  await panelOf(page).getByText('The file is empty').waitFor()
  await panelOf(page).getByText('Each file must be less than 3.5 GB', { exact: true }).waitFor()
  await panelOf(page).getByText('1 of 3 done').waitFor()
  await expect.poll(() => assets()).toEqual({ 'whole.bin': 'ready' })
  await page.getByRole('row', { name: 'whole.bin' }).getByText('100 Bytes', { exact: true }).waitFor()
  await Promise.all(paths.map(removeFile))
})

/** Reloads the page while the bytes of `original` are held, so that it offers the upload again. */
const leaveMidway = async (original: ReturnType<typeof fileOf>) => {
  const prepared = await prepare()
  const { context, page } = prepared
  const bytes = await holdBytes(context)
  await addFiles(page, original)
  await bytes.count(1)
  page.once('dialog', (dialog) => dialog.accept())
  await page.reload()
  await panelOf(page).getByText('Choose the file again to continue').waitFor()
  const give = (file: ReturnType<typeof fileOf>) => panelOf(page).getByLabel(`Choose ${file.name} again`).setInputFiles(file)
  return { ...prepared, bytes, give }
}
const build = (seed: string) => ({ ...fileOf('app.bin'), buffer: Buffer.alloc(20_000, seed) })
const otherContent = 'This is not the same file: its content differs. Choose the original file or start again.'

it('after a reload another file of the same name and size is refused, and the original continues', async () => {
  const { page, bytes, give, assets } = await leaveMidway(build('one'))
  await give(build('two'))
  await panelOf(page).getByText(otherContent).waitFor()
  await give(build('one'))
  await bytes.count(2)
  await bytes.letGo()
  await panelOf(page).getByText('1 of 1 done').waitFor()
  await expect.poll(() => assets()).toEqual({ 'app.bin': 'ready' })
})

it('after a reload another file of the same name and size is sent from its first byte on request', async () => {
  const { page, bytes, give, assets, hashOf } = await leaveMidway(build('one'))
  await give(build('two'))
  await panelOf(page).getByText(otherContent).waitFor()
  await panelOf(page).getByRole('button', { name: 'Start app.bin again' }).click()
  await bytes.count(2)
  await bytes.letGo()
  await panelOf(page).getByText('1 of 1 done').waitFor()
  await expect.poll(() => assets()).toEqual({ 'app.bin': 'ready' })
  const sha256 = createHash('sha256').update(build('two').buffer).digest('hex')
  await expect.poll(hashOf).toBe(sha256)
})

it('an uploaded file is removed only after a confirmation that names it', async () => {
  const { page, assets } = await prepare()
  await addFiles(page, fileOf('one.bin'))
  await page.getByRole('row', { name: 'one.bin' }).getByText('Ready', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Remove one.bin' }).click()
  const question = page.getByRole('alertdialog', { name: 'Remove one.bin?' })
  await question.getByRole('button', { name: 'Cancel', exact: true }).click()
  await question.waitFor({ state: 'detached' })
  await expect.poll(() => assets()).toEqual({ 'one.bin': 'ready' })
  await page.getByRole('button', { name: 'Remove one.bin' }).click()
  await question.getByRole('button', { name: 'Remove file' }).click()
  await question.waitFor({ state: 'detached' })
  await page.getByRole('row', { name: 'one.bin' }).waitFor({ state: 'detached' })
  await expect.poll(() => assets()).toEqual({})
})
