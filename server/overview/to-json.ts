import type { AttentionKind } from '../../contract/fleet/devices'
import type { Overview } from '../../contract/overview/monitor'
import type { ProjectSettings } from '../../contract/accounts/projects'
import type { Flapping } from '../fleet/devices/state/flaps.repository'
import { formatTimestamp, formatTimestampOrNull } from '../core/timestamps'
import type { DeviceRow } from '../fleet/devices/repository'
import { describeHealth } from '../fleet/monitor/health-text'

type Thresholds = ProjectSettings['health_thresholds']

const revokedText = (row: DeviceRow, revoked: Context['revoked']) => {
  const reason = revoked.get(row.installedReleaseId ?? '')
  const name = row.installedName ?? row.installedDisplayVersion ?? `v${row.installedVersion}`
  return `Runs ${name}, which is revoked${reason ? `: ${reason}` : ''}`
}

const describeAttention = (
  row: DeviceRow,
  { thresholds, revoked }: Pick<Context, 'thresholds' | 'revoked'>,
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
    revoked: { text: revokedText(row, revoked), since: row.installedAt },
    offline: { text: 'Offline', since: row.lastSeenAt },
    pending: { text: 'Waiting to be accepted', since: row.createdAt },
  }
}

/** `retryable`: the rollouts whose failed devices can be queued again. `revoked`: the reasons of revoked releases by their ids. */
type Context = {
  thresholds: Thresholds
  retryable: ReadonlySet<string>
  revoked: ReadonlyMap<string, string>
  now: Date
}

/** The next step of a person: what ends the reason, or shows it. A DDI client takes no commands and sends no logs. */
const actionFor = (
  device: DeviceRow,
  kind: AttentionKind,
  { retryable, now }: Context,
): Overview['attention'][number]['action'] => {
  const { updatesPausedUntil, quarantineUntil, updateRolloutId, protocol } = device
  if (kind === 'pending') return 'accept'
  if (kind === 'revoked') return 'open_release'
  if (kind === 'failed') {
    if (quarantineUntil !== null && quarantineUntil > now) return 'clear_quarantine'
    if (updatesPausedUntil !== null && updatesPausedUntil > now) return 'resume_updates'
    if (updateRolloutId !== null && retryable.has(updateRolloutId)) return 'retry_failed'
  }
  if (protocol === 'ddi') return null
  return kind === 'critical' || kind === 'warning' ? 'check_now' : 'open_logs'
}

export const attentionToJson = (
  { device, kind }: { device: DeviceRow; kind: AttentionKind },
  context: Context,
): Overview['attention'][number] => {
  const { text, since } = describeAttention(device, context)[kind]
  const facts = {
    device_id: device.id,
    device_name: device.name,
    kind,
    release_id: device.installedReleaseId,
    text,
    since: formatTimestampOrNull(since),
  }
  return { ...facts, action: actionFor(device, kind, context) }
}

export const flappingToJson = ({ deviceId, deviceName, kind, times, lastAt }: Flapping): Overview['flapping'][number] => ({
  device_id: deviceId,
  device_name: deviceName,
  kind,
  times,
  last_at: formatTimestamp(new Date(lastAt)),
})
