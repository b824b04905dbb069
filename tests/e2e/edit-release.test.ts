import { expect, it } from 'vitest'
import { softwareDescription, swuArchive } from '../../contract/ddi/bundle.fixture'
import { updateProject } from '../../contract/accounts/project-changes'
import { project } from '../../contract/accounts/projects'
import { releaseToSign } from '../../contract/updates/release-signing'
import { createRelease, release } from '../../contract/updates/releases'
import { artifacts } from './support/artifacts'
import type { Page } from './support/browser'
import { call } from './support/call'
import { useConsole } from './support/console'
import { addFiles, draftOf, fileOf, projectOf } from './support/draft'
import { subscriber } from './support/hosts'

const { hosts, open } = useConsole()

/** Chooses in a select of the open dialog. */
const choose = async (page: Page, label: string, option: string) => {
  await page.getByRole('dialog').getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}
const saveDialog = async (page: Page) => {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

it('the manifest contains the hook, versions, reboot and expiry that the forms of a draft set', async () => {
  const ines = await subscriber(hosts())
  const draft = await draftOf(hosts(), ines)
  const page = await (await open(ines)).newPage()
  await page.goto(draft.url)
  await addFiles(page, [fileOf('app.bin'), { name: 'check.sh', mimeType: 'text/plain', buffer: Buffer.from('#!/bin/sh\n') }])
  for (const name of ['app.bin', 'check.sh']) await page.getByRole('row', { name }).getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Edit check.sh' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Mode' }).fill('rwx')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Enter an octal mode such as 0644').first().waitFor()
  await dialog.getByRole('textbox', { name: 'Mode' }).fill('0755')
  await choose(page, 'Kind', 'Hook: a script to run')
  await saveDialog(page)
  await page.getByRole('row', { name: 'check.sh' }).getByText('hook', { exact: true }).waitFor()

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await dialog.getByRole('textbox', { name: 'Minimum installed version' }).fill('3')
  await dialog.getByRole('textbox', { name: 'May replace newer versions' }).fill('900, 901')
  await choose(page, 'Reboot Never', 'After installation')
  await choose(page, 'Hook before installation', 'check.sh')
  await dialog.getByRole('textbox', { name: 'Release notes' }).fill('Fixes the pump.')
  await saveDialog(page)

  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByRole('textbox', { name: 'Valid for' }).fill('30')
  await page.getByRole('button', { name: 'Build manifest' }).click()
  await page.getByRole('button', { name: 'Reopen draft' }).waitFor()
  const params = { releaseId: draft.releaseId }
  const { body } = await call(hosts().api, releaseToSign, params, { as: ines.token })
  const manifest = JSON.parse(Buffer.from(body.payload_base64, 'base64').toString())
  const hook = manifest.files.find(({ name }: { name: string }) => name === 'check.sh')
  expect(hook).toMatchObject({ kind: 'hook', mode: '0755' })
  expect(manifest).toMatchObject({
    min_installed_version: 3,
    allow_downgrade_from: [900, 901],
    reboot: 'after_install',
    hooks: { pre_install: hook.sha256, post_install: null, post_reboot: null },
  })
  const days = (Date.parse(manifest.expires_at) - Date.parse(manifest.created_at)) / 86_400_000
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThan(30.1)

  // After the manifest only the texts that it does not contain.
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Release notes' }).inputValue()).toBe('Fixes the pump.')
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Version' }).count()).toBe(0)
  await dialog.getByRole('textbox', { name: 'Description' }).fill('For gateways')
  await saveDialog(page)
  expect((await call(hosts().api, release, params, { as: ines.token })).body).toMatchObject({
    state: 'awaiting_signature',
    description: 'For gateways',
    notes: 'Fixes the pump.',
  })
})

it('a signed release is archived from its menu, after the consequence was told, and starts no rollout any more', async () => {
  const ines = await subscriber(hosts())
  const projectId = await projectOf(hosts(), ines)
  const { signed } = await artifacts(hosts(), ines, projectId)
  const releaseId = await signed({ name: 'Gateway', version: 1, bytes: Buffer.alloc(500, 'a') })
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/list/${releaseId}/status`)
  const start = page.getByRole('button', { name: 'Start rollout' })
  await start.waitFor()
  const archive = async () => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Archive release' }).click()
    await page.getByText('Devices that run it keep it.', { exact: false }).waitFor()
  }
  await archive()
  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  const state = async () => (await call(hosts().api, release, { releaseId }, { as: ines.token })).body.state
  await expect.poll(() => state()).toBe('ready')
  await archive()
  await page.getByRole('button', { name: 'Archive release' }).click()
  await page.getByText('Archived', { exact: true }).waitFor()
  await start.waitFor({ state: 'detached' })
  await expect.poll(() => state()).toBe('archived')
})

it('a bundle without a signature file is shown with a warning when its manifest is built, until the draft is reopened', async () => {
  const ines = await subscriber(hosts())
  const { api } = hosts()
  const as = ines.token
  const projectId = await projectOf(hosts(), ines)
  const { body: found } = await call(api, project, { projectId }, { as })
  const settings = {
    hardware_models: [
      { id: 'gw', name: 'Gateway', platform: 'linux', slots: 'ab' as const, client: { kind: 'swupdate' as const } },
    ],
  }
  await call(api, updateProject, { projectId }, { as, body: { settings }, headers: { 'if-match': `"${found.revision}"` } })
  const facts = { name: 'Gateway', version: 1, type: 'bundle' as const, display_version: '1.0.1', hardware_models: ['gw'] }
  const { body: draft } = await call(api, createRelease, { projectId }, { as, body: facts })
  const page = await (await open(ines)).newPage()
  await page.goto(`${hosts().console}/organizations/none/projects/${projectId}/releases/list/${draft.id}/assets`)
  const buffer = Buffer.from(swuArchive(softwareDescription('1.0.1'), { isSigned: false }))
  await addFiles(page, { name: 'gateway.swu', mimeType: 'application/octet-stream', buffer })
  await page.getByRole('row', { name: 'gateway.swu' }).getByText('Ready', { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Status' }).click()
  await page.getByRole('button', { name: 'Build manifest' }).click()
  const warning = page.getByText('gateway.swu has no sw-description.sig', { exact: false })
  await warning.waitFor()
  await page.getByRole('button', { name: 'Reopen draft' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reopen draft' }).click()
  await warning.waitFor({ state: 'detached' })
})
