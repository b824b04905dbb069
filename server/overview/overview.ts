import type { Overview } from '../../contract/monitor'
import type { Tx } from '../core/database/tx'
import { daysBefore } from '../core/days'
import { getProjectSettings } from '../accounts/projects/plan-and-settings.repository'
import { countDevices, countInstalledVersions, listDevicesNeedingAttention, listReleaseStarts } from './repository'
import { readRunningRollouts } from './running-rollouts'
import { attentionToJson } from './to-json'

/** Releases of the last days are markers on the time axis. */
const markersDays = 30

export const readOverview = async (tx: Tx, projectId: string, now: Date): Promise<Overview> => {
  const { polling_interval_s: pollS, health_thresholds: thresholds } = await getProjectSettings(tx, projectId)
  const counts = await countDevices(tx, projectId, pollS, now)
  const versions = await countInstalledVersions(tx, projectId)
  const rollouts = await readRunningRollouts(tx, projectId)
  const attention = await listDevicesNeedingAttention(tx, projectId, pollS, now)
  const starts = await listReleaseStarts(tx, projectId, daysBefore(now, markersDays))
  return {
    counts,
    versions,
    rollouts,
    attention: attention.map((one) => attentionToJson(one, thresholds)),
    releases: starts.map(({ releaseId, name, at }) => ({ release_id: releaseId, name, ts_ms: at.getTime() })),
  }
}
