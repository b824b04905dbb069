import { createMemoryHistory, createRootRoute, createRoute, createRouter, RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Device, DeviceUpdate } from '../../../contract/fleet/devices'
import type { Overview } from '../../../contract/overview/monitor'
import { type Release, releases } from '../../../contract/updates/releases'
import type { Api } from '../../../src/api/client'
import { RevokedBanner } from '../../../src/features/devices/revoked-banner'
import { AttentionPanel } from '../../../src/features/monitor/attention-panel'
import { EndReleaseDialog } from '../../../src/features/releases/end-release-dialog'
import { LastRollout } from '../../../src/features/releases/last-rollout'
import { ReleaseAlerts } from '../../../src/features/releases/release-alerts'
import { makeSystem, mount } from './system'

const project = '/organizations/none/projects/p1'
const installed = { release_id: 'bad', name: 'Gateway 1.3.0', version: 3, display_version: '1.3.0' } as Device['installed'] &
  object

/** Shows the content on a page of the project; the server has these releases. */
const show = (content: ReactNode, listed: readonly Partial<Release>[] = []) => {
  const top = createRootRoute()
  const monitor = createRoute({
    getParentRoute: () => top,
    path: '/organizations/$organizationId/projects/$projectId/monitor',
    component: () => content,
  })
  const history = createMemoryHistory({ initialEntries: [`${project}/monitor`] })
  const router = createRouter({ routeTree: top.addChildren([monitor]), history })
  // Implements only this endpoint.
  const api = (async (endpoint: unknown) =>
    endpoint === releases ? { releases: listed, next_cursor: null } : new Promise(() => {})) as unknown as Api
  // It has other routes than the router of the console.
  mount({ ...makeSystem(), api }, <RouterProvider router={router as never} />)
}

const deviceOf = (update: Partial<DeviceUpdate> | null) => ({ project_id: 'p1', hardware_model: 'gw', update }) as Device
const link = (name: string) => page.getByRole('link', { name, exact: true })

it('a device that runs a revoked release names it and leads to its rollout and to the next release', async () => {
  const brought = { release_id: 'bad', rollout_id: 'x1', state: 'succeeded' }
  show(<RevokedBanner device={deviceOf(brought)} installed={installed} reason="It leaks a key" />, [
    { id: 'draft', name: 'Gateway 1.5.0', version: 5, state: 'draft' },
    { id: 'next', name: 'Gateway 1.4.0', version: 4, state: 'ready' },
    { id: 'bad', name: 'Gateway 1.3.0', version: 3, state: 'revoked' },
    { id: 'old', name: 'Gateway 1.2.0', version: 2, state: 'superseded' },
  ])
  await expect
    .element(page.getByText(/^Gateway 1\.3\.0, which this device runs, is revoked: It leaks a key\. It keeps/))
    .toBeVisible()
  await expect.element(link('Roll back')).toHaveAttribute('href', `${project}/releases/rollouts/x1`)
  await expect.element(link('Roll out Gateway 1.4.0')).toHaveAttribute('href', `${project}/releases/list/next/status`)
})

it('a device whose last update was of another release leads to the revoked one, and without a newer one to the list', async () => {
  const failed = { release_id: 'other', rollout_id: 'x2', state: 'failed' }
  show(<RevokedBanner device={deviceOf(failed)} installed={installed} reason="" />, [
    { id: 'old', name: 'Gateway 1.2.0', version: 2, state: 'superseded' },
  ])
  await expect.element(link('Roll back')).toHaveAttribute('href', `${project}/releases/list/bad/status`)
  await expect.element(link('Add the next release')).toHaveAttribute('href', `${project}/releases/list`)
})

it('a device that is leaving the revoked release says so and asks for nothing', async () => {
  const leaving = { release_id: 'next', rollout_id: 'x3', state: 'downloading', version: 4, display_version: '1.4.0' }
  show(<RevokedBanner device={deviceOf(leaving)} installed={installed} reason="" />)
  await expect.element(page.getByText(/The device has an update to 1\.4\.0, which ends this\.$/)).toBeVisible()
  expect(document.querySelectorAll('a')).toHaveLength(0)
})

const releaseOf = (facts: Partial<Release>) =>
  ({ id: 'bad', name: 'Gateway 1.3.0', state: 'revoked', assets: [], warnings: [], ...facts }) as unknown as Release

it('a revoked release says how many devices still run it, and leads to them', async () => {
  show(<ReleaseAlerts release={releaseOf({ active_devices: 12 })} />)
  const devices = link('12 devices')
  await expect.element(devices).toBeVisible()
  const { pathname, searchParams } = new URL(devices.element().getAttribute('href') ?? '', window.location.origin)
  expect([pathname, searchParams.get('release_id'), searchParams.get('lifecycle')]).toEqual([
    `${project}/devices/list`,
    'bad',
    'active',
  ])
  await expect.element(page.getByText(/^12 devices still run this revoked release\./)).toBeVisible()
})

it.each([
  [12, /Active devices that run it now and keep it: 12\. To end that, roll back its rollouts or roll out the next release\./],
  [0, /No active device runs it now\./],
])('the question before a release is revoked says how many devices run it: %i', async (active_devices, text) => {
  show(<EndReleaseDialog how="revoke" release={releaseOf({ state: 'released', active_devices })} onClose={() => {}} />)
  await expect.element(page.getByText(text)).toBeVisible()
})

it('the list of what needs attention leads from a device to the revoked release that it runs', async () => {
  const item: Overview['attention'][number] = {
    device_id: 'd1',
    device_name: 'pump-1',
    kind: 'revoked',
    release_id: 'bad',
    text: 'Runs Gateway 1.3.0, which is revoked: It leaks a key',
    since: null,
    action: 'open_release',
  }
  show(<AttentionPanel items={[item]} total={1} />)
  await expect.element(page.getByText(item.text)).toBeVisible()
  await expect.element(link('Open release: pump-1')).toHaveAttribute('href', `${project}/releases/list/bad/status`)
})

const summaryOf = (state: string, succeeded: number, active: string | null = null) =>
  ({ active_rollout_id: active, state, targeted: 12, succeeded, failed: 12 - succeeded, running: 0, waiting: 0 }) as const

it.each([
  ['completed', 12, 'Completed, 100 %'],
  ['completed', 11, 'Completed, 91 %'],
  ['cancelled', 4, 'Cancelled, 33 %'],
  ['expired', 0, 'Expired, 0 %'],
  ['rolled_back', 11, 'Rolled back'],
])('the list of releases says how the last rollout ended: %s with %i of 12', async (state, succeeded, text) => {
  show(<LastRollout name="Gateway" summary={summaryOf(state, succeeded)} />)
  await expect.element(page.getByText(text, { exact: true })).toBeVisible()
  await expect.element(page.getByRole('img', { name: /^Rollout of/ })).not.toBeInTheDocument()
})

it('the list of releases shows the progress of a rollout that is open', async () => {
  show(<LastRollout name="Gateway" summary={summaryOf('running', 11, 'x1')} />)
  await expect.element(page.getByRole('img', { name: 'Rollout of Gateway: succeeded 11, failed 1' })).toBeVisible()
})
