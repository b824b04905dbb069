import type { Overview } from '../../contract/monitor'
import type { ProjectSettings } from '../../contract/projects'
import type { Flapping } from '../fleet/devices/flaps.repository'
import { formatTimestamp, formatTimestampOrNull } from '../core/timestamps'
import type { DeviceRow } from '../fleet/devices/repository'
import { describeHealth } from '../fleet/monitor/health-text'
import type { AttentionKind } from './repository'

type Thresholds = ProjectSettings['health_thresholds']

const describeAttention = (
  row: DeviceRow,
  thresholds: Thresholds,
): Record<AttentionKind, { text: string; since: Date | null }> => {
  const [reason] = row.healthReasons
  const measured = {
    text: reason ? describeHealth(reason, thresholds) : 'Health warning',
    since: reason ? new Date(reason.since) : null,
  }
  return {
    critical: measured,
    warning: measured,
    failed: {
      text: row.updateErrorText ?? row.updateErrorCode ?? `The update ${row.updateState?.replace('_', ' ') ?? 'failed'}`,
      since: row.updateStateSince,
    },
    offline: { text: 'Offline', since: row.lastSeenAt },
    pending: { text: 'Waiting to be accepted', since: row.createdAt },
  }
}

/** What keeps a failed update from being tried again, or a device from being used, and can be ended by a person. */
const actionFor = (
  { updatesPausedUntil, quarantineUntil }: DeviceRow,
  kind: AttentionKind,
  now: Date,
): Overview['attention'][number]['action'] => {
  if (kind === 'pending') return 'accept'
  if (kind !== 'failed') return null
  if (quarantineUntil !== null && quarantineUntil > now) return 'clear_quarantine'
  return updatesPausedUntil !== null && updatesPausedUntil > now ? 'resume_updates' : null
}

export const attentionToJson = (
  { device, kind }: { device: DeviceRow; kind: AttentionKind },
  thresholds: Thresholds,
  now: Date,
): Overview['attention'][number] => {
  const { text, since } = describeAttention(device, thresholds)[kind]
  const facts = { device_id: device.id, device_name: device.name, kind, text, since: formatTimestampOrNull(since) }
  return { ...facts, action: actionFor(device, kind, now) }
}

export const flappingToJson = ({ deviceId, deviceName, kind, times, lastAt }: Flapping): Overview['flapping'][number] => ({
  device_id: deviceId,
  device_name: deviceName,
  kind,
  times,
  last_at: formatTimestamp(new Date(lastAt)),
})
