import { it } from 'vitest'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject } from '../../contract/accounts/project-changes'
import { release } from '../../contract/updates/releases'
import { artifacts } from './support/artifacts'
import { call } from './support/call'
import { useConsole } from './support/console'
import { beginUploadOf, projectOf } from './support/draft'
import { newUser, subscriber } from './support/hosts'
import { join } from './support/members'

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

it('a damaged file whose upload another member has begun and left is uploaded by the next one', async () => {
  const ines = await subscriber(hosts())
  const as = ines.token
  const { body: made } = await call(hosts().api, createOrganization, {}, { as, body: { name: 'Field' } })
  const organizationId = made.public_id
  const project = { name: 'Gateways' }
  const { body: gateways } = await call(hosts().api, createOrganizationProject, { organizationId }, { as, body: project })
  const projectId = gateways.id
  const bytes = Buffer.alloc(20_000, 7)
  const { signed } = await artifacts(hosts(), ines, projectId)
  const releaseId = await signed({ name: 'Gateway', version: 1, bytes })
  const found = `state = 'rejected', reject_reason = 'The stored file differs from the uploaded one'`
  await hosts().sql(`update assets set ${found}, damaged_at = now(), verified_at = now() where release_id = $1`, [releaseId])
  const { body } = await call(hosts().api, release, { releaseId }, { as })
  const vera = await newUser(hosts())
  await join(hosts(), organizationId, vera, 'developer')
  await beginUploadOf(hosts(), vera, { assetId: body.assets[0]?.id ?? '', name: 'gateway.bin', size: bytes.length })

  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/${organizationId}/projects/${projectId}/releases/list/${releaseId}/assets`)
  await page.getByText('An upload of it has begun and has not ended. Another one ends it.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Upload again' }).waitFor()
  await page
    .getByLabel('Upload gateway.bin again')
    .setInputFiles({ name: 'gateway.bin', mimeType: 'application/octet-stream', buffer: bytes })
  await page.getByRole('row', { name: 'gateway.bin' }).getByText('Ready', { exact: true }).waitFor()
})
