import type { Overview } from '../../contract/monitor'
import type { ProjectSettings } from '../../contract/projects'
import { formatTimestampOrNull } from '../core/timestamps'
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

export const attentionToJson = (
  { device, kind }: { device: DeviceRow; kind: AttentionKind },
  thresholds: Thresholds,
): Overview['attention'][number] => {
  const { text, since } = describeAttention(device, thresholds)[kind]
  return { device_id: device.id, device_name: device.name, kind, text, since: formatTimestampOrNull(since) }
}
