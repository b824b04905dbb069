import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Release } from '../../../contract/updates/releases'
import { ReturnNote } from '../../../src/features/releases/return-note'
import { showReleasePart } from './release-part'

const show = (facts: Partial<Release>, returns: readonly number[] = []) => {
  const draft = {
    id: 'e1',
    project_id: 'p1',
    revision: 1,
    version: 6,
    hardware_models: ['gw'],
    may_return_to: null,
    manifest: null,
  }
  const release = { ...draft, ...facts } as unknown as Release
  showReleasePart({ release, keys: [], sha256: '', returns }, ReturnNote)
}

it('a draft from which no device could return says why, and what a person can do', async () => {
  show({})
  const why =
    'Devices could not return from this release: its manifest will list the older versions that devices run, and none runs one now. Edit the release to list versions yourself.'
  await expect.element(page.getByText(why)).toBeVisible()
})

it('a draft says to which versions devices could return, and that the list is made again when the manifest is built', async () => {
  show({}, [5, 4])
  const text =
    'Devices may return from this release to versions 5, 4, which devices run now. The list is made again when the manifest is built.'
  await expect.element(page.getByText(text)).toBeVisible()
})

it.each([
  [[5], 'Devices may return from this release to version 5.'],
  [[], 'Devices cannot return from this release: its signed manifest lists no older version.'],
])('a release whose list is %j says: %s', async (may_return_to, text) => {
  show({ may_return_to })
  await expect.element(page.getByText(text)).toBeVisible()
})
