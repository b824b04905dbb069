import { it } from 'vitest'
import { artifacts } from './support/artifacts'
import { useConsole } from './support/console'
import { projectOf } from './support/draft'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

it('a release shows which file is damaged and since when, and is valid again once the same file was uploaded', async () => {
  const ines = await subscriber(hosts())
  const projectId = await projectOf(hosts(), ines)
  const bytes = Buffer.alloc(20_000, 7)
  const { signed } = await artifacts(hosts(), ines, projectId)
  const releaseId = await signed({ name: 'Gateway', version: 1, bytes })
  // The state after the scheduled check.
  const found = `state = 'rejected', reject_reason = 'The stored file differs from the uploaded one'`
  await hosts().sql(`update assets set ${found}, damaged_at = now(), verified_at = now() where release_id = $1`, [releaseId])

  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/list/${releaseId}/assets`)
  const warning = page.getByText('gateway.bin is damaged in the storage, found', { exact: false })
  await warning.waitFor()
  await warning.getByText('Upload the same file again, or revoke the release', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Upload again' }).waitFor()
  const again = (buffer: Buffer) =>
    page
      .getByLabel('Upload gateway.bin again')
      .setInputFiles({ name: 'gateway.bin', mimeType: 'application/octet-stream', buffer })
  await again(Buffer.alloc(100))
  await page.getByText('This is another file: gateway.bin has 19.53 KB').first().waitFor()
  await again(bytes)
  await page.getByRole('row', { name: 'gateway.bin' }).getByText('Ready', { exact: true }).waitFor()
  await warning.waitFor({ state: 'detached' })
})
