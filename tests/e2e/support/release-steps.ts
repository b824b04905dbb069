import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { agentCommand } from './agent'
import type { Page } from './browser'

/** By its whole accessible name: the previous page's filter box has another one. */
export const textbox = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true })

export const projectNavigation = (page: Page) => page.getByRole('navigation', { name: 'Project' })

/** Registers the public key of a key pair on the Access page. */
export const addKey = async (page: Page, name: string, publicKeyPem: string): Promise<void> => {
  const navigation = projectNavigation(page)
  await navigation.getByRole('link', { name: 'Settings' }).click()
  await navigation.getByRole('link', { name: 'Access' }).click()
  await page.getByRole('button', { name: 'Add key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name', exact: true }).fill(name)
  await dialog.getByRole('textbox', { name: 'Public key', exact: true }).fill(publicKeyPem)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('cell', { name, exact: true }).waitFor()
}

type NewRelease = { name: string; displayVersion: string; model: string; directory: string; files: Record<string, Buffer> }

/** From the list of releases to verified files. */
export const addRelease = async (page: Page, bench: string, release: NewRelease): Promise<void> => {
  const paths: string[] = []
  for (const [name, bytes] of Object.entries(release.files)) {
    paths.push(join(bench, name))
    await writeFile(join(bench, name), bytes)
  }
  await projectNavigation(page).getByRole('link', { name: 'Releases' }).click()
  await page.getByRole('link', { name: 'Add Release' }).first().click()
  await textbox(page, 'Name').fill(release.name)
  await textbox(page, 'Display version').fill(release.displayVersion)
  await textbox(page, 'Hardware models').fill(release.model)
  await page.getByRole('button', { name: 'Files', exact: true }).setInputFiles(paths)
  await textbox(page, 'Install directory').fill(release.directory)
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Upload Progress').waitFor()
  for (const name of Object.keys(release.files)) await page.getByRole('row', { name }).getByText('Ready').waitFor()
}

/** Builds the manifest and signs it with a command where the private key is; the server only verifies. */
export const signRelease = async (page: Page, bench: string, keyPath: string): Promise<void> => {
  await page.getByRole('link', { name: 'build the manifest and sign it' }).click()
  await page.getByRole('button', { name: 'Build manifest' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^Download manifest-.*\.json$/ }).click(),
  ])
  const manifest = join(bench, 'manifest.json')
  await download.saveAs(manifest)
  const signature = await agentCommand('sign', '--key', keyPath, '--manifest', manifest)
  await textbox(page, 'Signature').fill(signature.trim())
  await page.getByRole('button', { name: 'Add signature' }).click()
  await page.getByText('verified in this browser').waitFor()
}

/** A rollout to all compatible devices, in one wave. */
export const startRollout = async (page: Page, devices: number): Promise<void> => {
  await page.getByRole('button', { name: 'Start rollout' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('All at once').click()
  await dialog.getByText(`${devices}, in waves of ${devices}`).waitFor()
  await dialog.getByRole('button', { name: 'Start rollout' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** The same by the full plan, with a gate that no failure halts. */
export const startRolloutWithoutHalt = async (page: Page, devices: number): Promise<void> => {
  await page.getByRole('button', { name: 'Start rollout' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('All at once').click()
  await dialog.getByRole('link', { name: 'Full plan…' }).click()
  await page.getByText('Gate of wave 1', { exact: false }).click()
  await textbox(page, 'Must succeed').fill('1')
  await textbox(page, 'May fail at most').fill('100')
  await page.getByText(`${devices} of ${devices}`).waitFor()
  await page.getByRole('button', { name: 'Start rollout', exact: true }).click()
  await page.waitForURL('**/releases/rollouts/*')
}
