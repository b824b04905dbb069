import type { Overview } from '../../contract/overview/monitor'
import type { Grants } from '../../contract/core/permissions'
import type { ProjectRead, ProjectScope } from '../core/http/scope'
import { daysBefore } from '../core/days'
import { limitTotal } from '../core/http/paging'
import { listDevicesNeedingAttention } from '../fleet/devices/list/attention.repository'
import { findRevokedReleases } from '../fleet/devices/revoked.repository'
import { countFlapping, listFlapping } from '../fleet/devices/state/flaps.repository'
import { countDevices, countInstalledVersions, listReleaseStarts } from './repository'
import { listRetryableRollouts } from './rollouts.repository'
import { readRunningRollouts } from './running-rollouts'
import { readSetup } from './setup.repository'
import { attentionToJson, flappingToJson } from './to-json'
import { contactPollS } from '../accounts/projects/settings'

/** Releases of the last days are markers on the time axis. */
const markersDays = 30
const attentionShown = 20

type OverviewRead = ProjectRead & { project: Pick<ProjectScope, 'organizationId'>; grants: Grants }

export const readOverview = async ({ tx, project, grants, now }: OverviewRead): Promise<Overview> => {
  const { id: projectId, settings } = project
  const { health_thresholds: thresholds } = settings
  const pollS = contactPollS(settings, now)
  const counts = await countDevices(tx, projectId, pollS, now)
  const versions = await countInstalledVersions(tx, projectId)
  const rollouts = await readRunningRollouts(tx, projectId)
  const attention = await listDevicesNeedingAttention({ tx, projectId, pollS, now }, attentionShown)
  const failedIn = attention.flatMap(({ kind, device }) => (kind === 'failed' ? (device.updateRolloutId ?? []) : []))
  const retryable = await listRetryableRollouts(tx, failedIn)
  const revoked = await findRevokedReleases(
    tx,
    projectId,
    attention.map(({ device }) => device),
  )
  const flapping = await listFlapping(tx, projectId, now)
  const starts = await listReleaseStarts(tx, projectId, daysBefore(now, markersDays))
  return {
    counts: { ...counts, flapping: limitTotal(await countFlapping(tx, projectId, now)) },
    versions,
    rollouts,
    attention: attention.map((one) => attentionToJson(one, { thresholds, retryable, revoked, now })),
    flapping: flapping.map(flappingToJson),
    releases: starts.map(({ releaseId, name, at }) => ({ release_id: releaseId, name, ts_ms: at.getTime() })),
    setup: await readSetup({ tx, project, grants, now }),
  }
}
