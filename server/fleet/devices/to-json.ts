import { lifetimes } from '../../core/lifetimes'
import { verifierOf } from '../../../contract/ddi/confirm'
import { clientOf } from '../../../contract/fleet/hardware-models'
import type { ModelClient } from '../../../contract/ddi/model-client'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import {
  type Device,
  type DeviceUpdate,
  type Health,
  type Installed,
  type TokenSharing,
  unusedLifecycles,
} from '../../../contract/fleet/devices'
import type { Infer } from 'superstruct'
import { entityToJson, formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { connectivityOf } from './state/connectivity'
import { daysBefore, secondsAfter } from '../../core/days'
import type { InstallationRow } from './installations.repository'
import { confirmWithinS, findNextPoll } from './next-poll'
import type { DeviceRow } from './repository'
import { contactPollS } from '../../accounts/projects/settings'
import { setPollingS } from './polling'

const installedOf = (row: DeviceRow): Infer<typeof Installed> | null =>
  row.installedVersion === null || row.installedAt === null
    ? null
    : {
        release_id: row.installedReleaseId,
        name: row.installedName,
        version: row.installedVersion,
        display_version: row.installedDisplayVersion,
        installed_at: formatTimestamp(row.installedAt),
        slot: row.installedSlot,
        confirmed: row.installedConfirmed,
      }

const revokedOf = ({ installedReleaseId }: DeviceRow, revoked: ReadonlyMap<string, string>): Device['installed_revoked'] => {
  const reason = installedReleaseId === null ? undefined : revoked.get(installedReleaseId)
  return reason === undefined ? null : { reason }
}

const claimOf = ({ updateState, updateStateSince }: DeviceRow, client: ModelClient): DeviceUpdate['claim'] =>
  updateState === 'claimed' && updateStateSince !== null
    ? { until: formatTimestamp(secondsAfter(updateStateSince, confirmWithinS(client))), attribute: client.version_attribute }
    : null

const updateOf = (row: DeviceRow, client: ModelClient): DeviceUpdate | null =>
  row.updateRolloutId === null || row.updateState === null || row.updateReleaseId === null || row.updateStateSince === null
    ? null
    : {
        rollout_id: row.updateRolloutId,
        release_id: row.updateReleaseId,
        version: row.updateVersion ?? 0,
        display_version: row.updateDisplayVersion,
        state: row.updateState,
        state_since: formatTimestamp(row.updateStateSince),
        progress_percent: row.updateProgress,
        bytes_done: row.updateBytesDone,
        bytes_total: row.updateBytesTotal,
        attempt: row.updateAttempt,
        error_code: row.updateErrorCode,
        error_text: row.updateErrorText,
        claim: claimOf(row, client),
      }

/** The state of a silent device is not known, and one out of use has none. */
const healthOf = (row: DeviceRow, connectivity: Device['connectivity']): Health =>
  connectivity === 'offline' || connectivity === 'never_seen' || unusedLifecycles.includes(row.lifecycle)
    ? { status: 'unknown', reasons: [] }
    : { status: row.healthStatus, reasons: row.healthReasons }

const tokenSharingOf = ({ tokenSharedAt, tokenSharedBy, seenFrom }: DeviceRow, now: Date): TokenSharing | null =>
  tokenSharedAt === null || tokenSharedBy === null || tokenSharedAt < daysBefore(now, lifetimes.tokenSharingDays)
    ? null
    : { by: tokenSharedBy, at: formatTimestamp(tokenSharedAt), addresses: [...new Set(seenFrom.map(({ address }) => address))] }

/**
 * Facts outside a device's row: the project's settings, the device's tags, the algorithms of the project's keys, and the reasons of
 * revoked releases by their ids.
 */
export type DeviceContext = {
  settings: ProjectSettings
  now: Date
  tags: Device['tags']
  algorithms: ReadonlyMap<string, string>
  revoked: ReadonlyMap<string, string>
}

export const deviceToJson = (row: DeviceRow, { settings, now, tags, algorithms, revoked }: DeviceContext): Device => {
  const pollS = row.pollingIntervalS ?? settings.polling_interval_s
  const client = clientOf(settings.hardware_models, row.hardwareModel)
  const connectivity = connectivityOf(row.lastSeenAt, row.pollingIntervalS ?? contactPollS(settings, now), now)
  return {
    ...entityToJson(row),
    project_id: row.projectId,
    name: row.name,
    serial_number: row.serialNumber,
    hardware_model: row.hardwareModel,
    protocol: row.protocol,
    verifier: verifierOf(row.protocol, client.kind),
    lifecycle: row.lifecycle,
    enrollment: row.enrollment,
    connectivity,
    first_seen_at: formatTimestampOrNull(row.firstSeenAt),
    last_seen_at: formatTimestampOrNull(row.lastSeenAt),
    next_check_in_at: formatTimestampOrNull(unusedLifecycles.includes(row.lifecycle) ? null : findNextPoll(row, pollS)),
    enrolled_at: formatTimestampOrNull(row.enrolledAt),
    polling_interval_s: setPollingS(row),
    configured_polling_interval_s: row.configuredPollingS,
    token_sharing: tokenSharingOf(row, now),
    installed: installedOf(row),
    installed_revoked: revokedOf(row, revoked),
    update: updateOf(row, client),
    updates_enabled: row.updatesEnabled,
    updates_paused_until: formatTimestampOrNull(row.updatesPausedUntil),
    quarantine:
      row.quarantineUntil !== null && row.quarantineUntil > now
        ? { until: formatTimestamp(row.quarantineUntil), reason: row.quarantineReason ?? '' }
        : null,
    tags,
    attributes: row.attributes,
    metadata: row.metadata,
    trusted_keys: row.trustedKeys.map((fingerprint) => ({ fingerprint, algorithm: algorithms.get(fingerprint) ?? 'unknown' })),
    secure_boot: { state: row.secureBootState, bundle_id: row.secureBootBundleId, rollback_version: row.rollbackVersion },
    health: healthOf(row, connectivity),
    timezone: row.timezone,
    client:
      row.clientName === null
        ? null
        : { name: row.clientName, version: row.clientVersion ?? '', config_hash: row.clientConfigHash },
    notes: row.notes,
    deleted_at: formatTimestampOrNull(row.deletedAt),
  }
}

export const installationToJson = (row: InstallationRow): Infer<typeof Installed> => ({
  release_id: row.releaseId,
  name: row.name,
  version: row.version,
  display_version: row.displayVersion,
  installed_at: formatTimestamp(row.installedAt),
  slot: row.slot,
  confirmed: row.confirmed,
})
