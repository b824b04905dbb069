import type { AnswerOf, QueryOf } from '../../../contract/endpoint'
import type { PreviewDevice, previewRolloutDevices } from '../../../contract/rollout-plans'
import type { Tx } from '../../core/database/tx'
import type { ReleaseRow } from '../releases/repository'
import { releaseFacts } from './to-decision-facts'
import { checkMember, type Verdict } from './members'
import { type Plan, preview } from './preview'
import { listTargetedDevices } from './preview-devices.repository'
import { findReturnLists } from './return-lists.repository'

type Query = NonNullable<QueryOf<typeof previewRolloutDevices>>

const isAsked =
  ({ group, reason }: Query) =>
  (verdict: Verdict) =>
    (group === undefined || (group === 'included') === (verdict.reason === null)) &&
    (reason === undefined || verdict.reason === reason)

/** One page of the devices of a preview, each with its wave or the check that excludes it: the verdict of the preview itself. */
export const listPreviewDevices = async (
  tx: Tx,
  release: ReleaseRow,
  { plan, query, now }: { plan: Plan; query: Query; now: Date },
): Promise<AnswerOf<typeof previewRolloutDevices>> => {
  const { members, waves, signedRelease } = await preview(tx, release, plan, now)
  const facts = releaseFacts(signedRelease)
  const fleet = { projectId: release.projectId, target: plan.target, release: facts, now, among: undefined }
  const kinds = members.verdicts.filter(isAsked(query)).map(({ kind }) => kind)
  const ids = query.wave === undefined ? undefined : (waves[query.wave - 1]?.deviceIds ?? [])
  const page = await listTargetedDevices(tx, fleet, { kinds, ids }, query)
  const lists = await findReturnLists(tx, page.rows)
  const waveOf = new Map(waves.flatMap(({ deviceIds }, n) => deviceIds.map((id) => [id, n + 1] as const)))
  const devices = page.rows.map((row): PreviewDevice => {
    const { failed } = checkMember(row, lists, { release: facts, asked: { ...plan, now } })
    return {
      id: row.id,
      name: row.name,
      hardware_model: row.hardwareModel,
      version: row.installedVersion,
      display_version: row.installedDisplayVersion,
      wave: waveOf.get(row.id) ?? null,
      reason: failed?.name ?? null,
      text: failed?.text ?? null,
      observed: failed?.observed ?? null,
      required: failed?.required ?? null,
    }
  })
  return { devices, next_cursor: page.next_cursor, total: page.total }
}
