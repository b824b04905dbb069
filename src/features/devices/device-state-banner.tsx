import type { Device, DeviceUpdate } from '../../../contract/fleet/devices'
import { parseTime } from '../../lib/dates'
import { Banner } from '../../ui/layout/notice'
import { DateTime, useNow } from '../../ui/text/time'

const texts: Partial<Record<Device['lifecycle'], string>> = {
  pending:
    'Waiting to be accepted. The device may check in, but its events, measurements and logs are not stored and it gets no updates.',
  rejected: 'Rejected: every call of this device is refused. Its client keeps asking, so it can be made pending again.',
  disabled: 'Disabled: the device checks in and reports, and is told that it gets no updates. Commands are not delivered.',
  decommissioned: 'Decommissioned: every call of this device is refused and its client stops. This is final.',
}

const Claim = ({ update, claim }: { update: DeviceUpdate; claim: NonNullable<DeviceUpdate['claim']> }) => (
  <Banner kind="neutral">
    Client reports {update.display_version ?? update.version} installed. Waiting until <DateTime value={claim.until} /> for{' '}
    <code>{claim.attribute}</code>.
  </Banner>
)

/** What the server tells the device while it gets no updates by a decision of a person. */
export const DeviceStateBanner = ({
  device: { lifecycle, update, updates_enabled, updates_paused_until: until, quarantine },
}: {
  device: Device
}) => {
  const now = useNow()
  const text = texts[lifecycle]
  if (text !== undefined) return <Banner kind="neutral">{text}</Banner>
  if (update?.claim) return <Claim update={update} claim={update.claim} />
  if (!updates_enabled)
    return <Banner kind="neutral">Updates are off: the device checks in and reports, and is offered no new update.</Banner>
  if (until !== null && parseTime(until) > now)
    return (
      <Banner kind="neutral">
        Updates are paused until <DateTime value={until} />: the device checks in and reports, and is offered no new update.
      </Banner>
    )
  if (quarantine === null || parseTime(quarantine.until) <= now) return null
  return (
    <Banner kind="neutral">
      In quarantine until <DateTime value={quarantine.until} />: the release that failed here is not offered, also where a
      rollback returns the device to it. Clear the quarantine in “More actions” to offer it again at the next check-in.
    </Banner>
  )
}
