import { expect, it } from 'vitest'
import { page } from 'vitest/browser'
import type { Device, DeviceUpdate } from '../../../contract/fleet/devices'
import { DeviceStateBanner } from '../../../src/features/devices/device-state-banner'
import { makeSystem, mount } from './system'

/** The fields that the banner reads. */
const deviceOf = (facts: Partial<Device>, update: Partial<DeviceUpdate> | null) =>
  ({ lifecycle: 'active', updates_enabled: true, updates_paused_until: null, quarantine: null, ...facts, update }) as Device
const claim = { until: '2031-05-04T14:05:00+00:00', attribute: 'sw_version' }
const claimed = { state: 'claimed', version: 20_501, display_version: '1.0.1', claim }
const text = /^Client reports 1\.0\.1 installed\. Waiting until .+ for sw_version\.$/

it('a device whose client claims success says what it waits for, and until when', async () => {
  mount(makeSystem(), <DeviceStateBanner device={deviceOf({}, claimed)} />)
  const banner = page.getByText(text)
  await expect.element(banner).toBeVisible()
  expect(banner.element().querySelector('time')?.getAttribute('datetime')).toBe('2031-05-04T14:05:00.000Z')
})

it('a release without a display version is claimed by its number', async () => {
  mount(makeSystem(), <DeviceStateBanner device={deviceOf({}, { ...claimed, display_version: null })} />)
  await expect.element(page.getByText('Client reports 20501 installed.', { exact: false })).toBeVisible()
})

it('an update that is confirmed claims nothing', async () => {
  mount(
    makeSystem(),
    <p>
      Page
      <DeviceStateBanner device={deviceOf({}, { ...claimed, state: 'succeeded', claim: null })} />
    </p>,
  )
  await expect.element(page.getByText('Page')).toBeVisible()
  expect(document.body.textContent).not.toContain('Client reports')
})

it('what a person decided about the device comes before the claim', async () => {
  mount(makeSystem(), <DeviceStateBanner device={deviceOf({ lifecycle: 'disabled' }, claimed)} />)
  await expect.element(page.getByText('Disabled: the device checks in', { exact: false })).toBeVisible()
  expect(document.body.textContent).not.toContain('Client reports')
})

it('a device in quarantine says until when, and what offers the release again before', async () => {
  const quarantine = { until: '2031-05-04T14:05:00+00:00', reason: 'three failures' }
  mount(makeSystem(), <DeviceStateBanner device={deviceOf({ quarantine }, null)} />)
  await expect.element(page.getByText('Clear the quarantine in “More actions”', { exact: false })).toBeVisible()
  mount(
    makeSystem(),
    <p>
      Later
      <DeviceStateBanner device={deviceOf({ quarantine: { ...quarantine, until: '2001-05-04T14:05:00+00:00' } }, null)} />
    </p>,
  )
  await expect.element(page.getByText('Later')).toBeVisible()
  expect(document.querySelector('p')?.textContent).not.toContain('In quarantine')
})
