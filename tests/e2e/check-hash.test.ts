import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import { artifacts } from './support/artifacts'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

it('the hash of a file is checked in the browser, over the bytes that the server sends', async () => {
  const ines = await subscriber(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { filled } = await artifacts(hosts(), ines, projectId)
  const bytes = Buffer.alloc(2_000_000, 'firmware')
  const releaseId = await filled({ name: 'Gateway', version: 1, bytes })
  const page = await (await open(ines)).newPage()
  const place = `${hosts().console}/organizations/none/projects/${projectId}/releases/list/${releaseId}/assets`
  await page.goto(place)
  const check = page.getByRole('button', { name: 'Check hash of gateway.bin' })
  const dialog = page.getByRole('dialog')
  await check.click()
  await dialog.getByText('The hash matches').waitFor()
  await expect.poll(() => dialog.getByText(createHash('sha256').update(bytes).digest('hex')).count()).toBe(2)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'hidden' })

  // On the way to this browser a byte changes.
  await page.context().route('**/downloads/**', async (route) => {
    const response = await route.fetch()
    const body = await response.body()
    body[1000] = (body[1000] ?? 0) ^ 1
    await route.fulfill({ response, body })
  })
  await check.click()
  await dialog.getByText('The hash differs').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'hidden' })
  await page.context().unroute('**/downloads/**')

  // Bytes that do not come to an end can be given up.
  await page.context().route('**/downloads/**', () => new Promise(() => {}))
  await check.click()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.getByText('Cancelled. The hash is not known.').waitFor()
  await page.context().unroute('**/downloads/**')
  await dialog.getByRole('button', { name: 'Check again' }).click()
  await dialog.getByText('The hash matches').waitFor()
})
