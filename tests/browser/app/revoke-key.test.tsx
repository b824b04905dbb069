import { expect, it, vi } from 'vitest'
import { page } from 'vitest/browser'
import { type KeyRevocationStops, previewKeyRevocation, type SigningKey } from '../../../contract/fleet/keys'
import type { Api } from '../../../src/api/client'
import { RevokeKeyDialog } from '../../../src/features/access/keys/revoke-key-dialog'
import { makeSystem, mount } from './system'

const key = { id: '01K00000000000000000000KEY', name: 'Release 2026' } as SigningKey

/** The dialog with a server that answers the preview with this, or refuses it. */
const open = (preview: KeyRevocationStops | Error, signingKey = key) => {
  const system = makeSystem()
  const calls = vi.fn<(endpoint: unknown, params: unknown, options: unknown) => void>()
  const api = (async (endpoint: unknown, params: unknown, options: unknown) => {
    if (endpoint === previewKeyRevocation) {
      if (preview instanceof Error) throw preview
      return preview
    }
    calls(endpoint, params, options)
    return { ...key, state: 'revoked' }
  }) as unknown as Api // Implements only two endpoints.
  mount({ ...system, api }, <RevokeKeyDialog signingKey={signingKey} projectId="p1" onClose={() => {}} />)
  return calls
}
const confirm = () => page.getByRole('button', { name: 'Revoke key' })

it('names the releases and rollouts that stop, and revokes only with a reason and the typed name', async () => {
  const release = { id: 'r1', name: 'Gateway', version: 20_500, display_version: '2.5.0', state: 'released' }
  const calls = open({
    releases: [release],
    rollouts: [{ id: 'x1', name: 'Gateway #3', release_id: 'r1', state: 'running' }],
    bundles: [{ id: 'b1', name: 'Gateway boot', version: 4, state: 'in_use' }],
  })
  await expect.element(page.getByText('Rollout Gateway #3')).toBeVisible()
  await expect.element(page.getByText('Release Gateway 2.5.0')).toBeVisible()
  await expect.element(page.getByText(/^1 rollout will be cancelled, and running updates are asked to stop\./)).toBeVisible()
  await expect.element(page.getByText('Fuse plan of Gateway boot v4')).toBeVisible()
  await page.getByRole('textbox', { name: 'Type Release 2026 to confirm' }).fill('Release 2026')
  await expect.element(confirm()).toBeDisabled()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Stolen laptop')
  await page.getByRole('textbox', { name: 'Type Release 2026 to confirm' }).fill('Release 2025')
  await expect.element(confirm()).toBeDisabled()
  await page.getByRole('textbox', { name: 'Type Release 2026 to confirm' }).fill('Release 2026')
  await confirm().click()
  await expect.poll(() => calls.mock.lastCall?.[2]).toMatchObject({ body: { reason: 'Stolen laptop' } })
})

it('says that nothing stops when no release depends on the key alone', async () => {
  open({ releases: [], rollouts: [], bundles: [] })
  await expect.element(page.getByText(/^No release depends on this key alone, so no rollout stops, and no secure/)).toBeVisible()
})

it('lets a key be revoked although what it stops could not be loaded', async () => {
  const calls = open(new Error('no answer'))
  await expect.element(page.getByRole('button', { name: 'Try again' })).toBeVisible()
  await page.getByRole('textbox', { name: 'Reason' }).fill('Stolen laptop')
  await page.getByRole('textbox', { name: 'Type Release 2026 to confirm' }).fill('Release 2026')
  await confirm().click()
  await expect.poll(() => calls.mock.lastCall?.[2]).toMatchObject({ body: { reason: 'Stolen laptop' } })
})

it('lets a key be revoked whose name was typed as the page shows it', async () => {
  const calls = open({ releases: [], rollouts: [], bundles: [] }, { ...key, name: 'Release  2026\u00a0b' })
  await page.getByRole('textbox', { name: 'Reason' }).fill('Stolen laptop')
  await page.getByRole('textbox', { name: 'to confirm' }).fill('Release 2026 b')
  await confirm().click()
  await expect.poll(() => calls.mock.lastCall?.[2]).toMatchObject({ body: { reason: 'Stolen laptop' } })
})
