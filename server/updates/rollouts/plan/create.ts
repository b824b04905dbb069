import type { BodyOf } from '../../../../contract/core/endpoint'
import type { ProjectSettings } from '../../../../contract/accounts/projects'
import { defaultBackoff } from '../../../../contract/updates/rollout-plans'
import type { createRollout } from '../../../../contract/updates/rollouts'
import type { Author } from '../../../../contract/core/shapes'
import type { Tx } from '../../../core/database/tx'
import { requireBundleNotRevoked } from '../../releases/needed-bundle'
import type { ReleaseRow } from '../../releases/repository'
import { insertTimelineEntry } from '../rows/timeline.repository'
import { newRow } from '../../../core/database/row'
import { secondsAfter } from '../../../core/days'
import { refuse, refuseField } from '../../../core/http/refuse'
import { insertRolloutDevices } from '../rows/rollout-devices.repository'
import { findRolloutName, insertRollout, insertWaves, lockNextNumber } from './create.repository'
import { preview, requireDeployable, wavesOf } from './preview'
import { formatDeviceCount } from './device-count'

type Asked = NonNullable<BodyOf<typeof createRollout>>
type By = {
  maker: Author | null
  now: Date
  settings: ProjectSettings
  requiresApproval: boolean
  isWayBack?: boolean | undefined
}

const momentOf = (text: string | null | undefined) => (text == null ? null : new Date(text))

// People choose a start by the minute, and send it somewhat later.
const startGraceS = 60

/** A rollout with a start in the past would start at once, which nobody asked for. */
const checkStart = ({ start_at }: Asked, now: Date) => {
  const start = momentOf(start_at)
  if (start && start <= secondsAfter(now, -startGraceS))
    refuseField('start_at', 'past', 'The start is in the past. Choose a later time, or none to start it yourself')
}

const checkEnd = ({ end_at }: Asked, now: Date) => {
  const end = momentOf(end_at)
  if (end && end <= now) refuseField('end_at', 'past', 'The end is in the past')
}

/** Typed again by the person who allows the downgrade, so that it is that of the release that they mean. */
const checkTypedVersion = ({ allow_downgrade }: Asked, { version }: ReleaseRow) => {
  if (allow_downgrade && allow_downgrade.version !== version)
    refuseField('allow_downgrade.version', 'mismatch', `This is not the version of the release, ${version}`)
}

/** Creates a rollout of exactly the previewed devices, under the lock of its release. */
export const create = async (
  tx: Tx,
  release: ReleaseRow,
  asked: Asked,
  { maker, now, settings, requiresApproval, isWayBack }: By,
): Promise<string> => {
  requireDeployable(release, now)
  await requireBundleNotRevoked(tx, release)
  checkStart(asked, now)
  checkEnd(asked, now)
  checkTypedVersion(asked, release)
  const allowDowngrade = asked.allow_downgrade ?? null
  const plan = { target: asked.target, waves: wavesOf(asked.waves), allowsDowngrade: allowDowngrade !== null, isWayBack }
  const seen = await preview(tx, release, plan, now)
  if (seen.hash !== asked.preview_hash) refuse(409, 'preview_stale', { message: 'The fleet has changed since the preview' })
  const { ids, trusting, byClient } = seen.members
  if (ids.length === 0) refuseField('target', 'empty', 'No device matches this target')
  if (trusting + byClient < ids.length && asked.override_reason === undefined)
    refuse(409, 'key_coverage', {
      message: 'Some devices trust none of the keys that signed this release',
      about: { trusting, total: ids.length },
    })
  const number = await lockNextNumber(tx, release.projectId)
  const row = {
    ...newRow(now),
    id: seen.rolloutId,
    projectId: release.projectId,
    releaseId: release.id,
    createdBy: maker,
    number,
    name: asked.name ?? (await findRolloutName(tx, release)),
    target: asked.target,
    membership: asked.membership ?? 'frozen',
    maxConcurrent: asked.max_concurrent ?? settings.max_concurrent_updates,
    startRatePerMin: asked.start_rate_per_min ?? null,
    retries: asked.retries ?? 3,
    backoff: asked.backoff ?? defaultBackoff,
    startAt: momentOf(asked.start_at),
    endAt: momentOf(asked.end_at),
    window: asked.window ?? null,
    onFailure: asked.on_failure ?? 'halt',
    allowDowngrade,
    priority: asked.priority ?? 50,
    requiresApproval,
    phase: 'draft' as const,
    previewHash: seen.hash,
    overrideReason: asked.override_reason ?? null,
  } as const
  await insertRollout(tx, row)
  await insertWaves(tx, row.id, seen.waves)
  const members = seen.waves.flatMap(({ deviceIds }, n) => deviceIds.map((deviceId) => ({ deviceId, wave: n + 1 })))
  await insertRolloutDevices(tx, row, members, now)
  const text = `Created for ${formatDeviceCount(ids.length)} in ${seen.waves.length === 1 ? 'one wave' : `${seen.waves.length} waves`}`
  await insertTimelineEntry(tx, row, { at: now, kind: 'rollout.created', text, by: maker?.name ?? null })
  return row.id
}
