import { expect, it } from 'vitest'
import { createDevice } from '../../contract/fleet/devices'
import { artifacts } from './support/artifacts'
import { call } from './support/call'
import { useConsole } from './support/console'
import { addFiles, draftOf, fileOf, projectOf } from './support/draft'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

const sbom = (components: object[]) => ({ bomFormat: 'CycloneDX', specVersion: '1.6', components })
const openssl = (version: string) => ({ name: 'openssl', version, purl: `pkg:generic/openssl@${version}` })
const fileWith = (name: string, value: object) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify(value)),
})

it('the components of an SBOM that is added to a draft are listed, filtered, and found in the project', async () => {
  const ines = await subscriber(hosts())
  const draft = await draftOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(draft.url)
  const many = Array.from({ length: 300 }, (_, n) => ({ name: `library-${n}`, version: '1.0.0' }))
  await addFiles(page, [
    fileOf('app.bin'),
    fileWith('app.cdx.json', sbom([openssl('3.0.13'), ...many])),
    fileWith('bom.json', sbom([{ name: 'busybox' }, { version: '1' }])),
    fileWith('new.cdx.json', { ...sbom([]), specVersion: '1.7' }),
  ])
  for (const name of ['app.bin', 'app.cdx.json', 'bom.json', 'new.cdx.json'])
    await page.getByRole('row', { name }).getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('row', { name: 'app.cdx.json' }).getByText('sbom', { exact: true }).waitFor()

  await page.getByRole('link', { name: 'Components' }).click()
  await page.getByText('CycloneDX 1.6, 301 components').waitFor()
  // What was left out is named, and the refused file says why.
  await page.getByText('CycloneDX 1.6, 1 components. 1 field was cut or left out').waitFor()
  await page.getByText('components.1.name: No name: the component is left out').waitFor()
  await page.getByText('specVersion: CycloneDX 1.7: versions 1.2 to 1.6 are read').waitFor()
  const rows = page.getByRole('table', { name: 'Components' }).getByRole('row')
  await page.getByRole('row', { name: /library-0 / }).waitFor()
  // Only the visible rows are in the document.
  expect(await rows.count()).toBeLessThan(100)
  await page.getByRole('searchbox', { name: 'Filter by name' }).fill('ssl')
  await page.getByRole('row', { name: 'openssl 3.0.13' }).waitFor()
  await expect.poll(() => rows.count()).toBe(2)

  await page.goto(`${hosts().console}/organizations/none/projects/${draft.projectId}/releases/list`)
  await page.getByRole('link', { name: 'Find a component' }).click()
  await page.getByRole('heading', { name: 'Components' }).waitFor()
  await page.getByRole('searchbox', { name: 'Filter by name' }).fill('openssl')
  await page.getByRole('searchbox', { name: 'Filter by version' }).fill('3.0.14')
  await page.getByText('Not Found').waitFor()
  await page.getByRole('searchbox', { name: 'Filter by version' }).fill('3.0.13')
  await page
    .getByRole('row', { name: /openssl 3\.0\.13 Firmware/ })
    .getByRole('link')
    .click()
  await page.getByText('CycloneDX 1.6, 301 components').waitFor()
})

it('the devices that run a release with a component are one link away', async () => {
  const ines = await subscriber(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { filled } = await artifacts(hosts(), ines, projectId)
  const bytes = Buffer.alloc(100, 'a')
  const releaseId = await filled({ name: 'Gateway', version: 7, bytes, sbom: sbom([openssl('3.0.13')]) })
  await hosts().sql(`update releases set display_version = '2.4.1' where id = $1`, [releaseId])
  const as = ines.token
  for (const name of ['gw-north', 'gw-south']) {
    const device = { name, hardware_model: 'gw-imx8m' }
    const { body } = await call(hosts().api, createDevice, { projectId }, { as, body: device })
    if (name === 'gw-north')
      await hosts().sql(
        `update devices set installed_release_id = $1, installed_version = 7, installed_display_version = '2.4.1' where id = $2`,
        [releaseId, body.id],
      )
  }
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/components?q=openssl`)
  await page.getByRole('link', { name: 'Devices that run Gateway 2.4.1: 1' }).click()
  await page.getByRole('row', { name: 'gw-north' }).waitFor()
  await expect.poll(() => page.getByRole('row', { name: 'gw-south' }).count()).toBe(0)
})

it('the comparison of two releases lists the components that differ', async () => {
  const ines = await subscriber(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { filled } = await artifacts(hosts(), ines, projectId)
  const bytes = Buffer.alloc(100, 'a')
  await filled({ name: 'Gateway', version: 1, bytes, sbom: sbom([openssl('3.0.13'), { name: 'telnetd', version: '1' }]) })
  const after = await filled({
    name: 'Gateway',
    version: 2,
    bytes,
    sbom: sbom([openssl('3.0.15'), { name: 'dropbear', version: '2024' }]),
  })
  const page = await (await open(ines)).newPage()
  const place = `${hosts().console}/organizations/none/projects/${projectId}/releases/list/${after}/compare`
  await page.goto(`${place}?experimental=true`)
  await page.getByText('1 changed, 1 added, 1 removed').waitFor()
  const table = page.getByRole('table', { name: 'Components that differ' })
  await table.getByRole('row', { name: 'openssl Changed 3.0.13 → 3.0.15' }).waitFor()
  await table.getByRole('row', { name: 'dropbear Added 2024' }).waitFor()
  await table.getByRole('row', { name: 'telnetd Removed 1' }).waitFor()
})
