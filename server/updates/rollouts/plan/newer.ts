import type { RolloutPreview, Target } from '../../../../contract/updates/rollout-plans'
import type { Tx } from '../../../core/database/tx'
import type { ReleaseRow } from '../../releases/repository'
import { downgradeRefusal } from '../decide/checks'
import { countNewer } from './newer.repository'
import { findReturnLists } from '../decide/return-lists.repository'

type Newer = RolloutPreview['newer'][number]
type Asked = { target: Target; allowsDowngrade: boolean }

/** What newer devices of a target run, and which permission is missing to downgrade them to this release. */
export const newerOf = async (tx: Tx, release: ReleaseRow, { target, allowsDowngrade }: Asked, now: Date): Promise<Newer[]> => {
  const rows = await countNewer(tx, release, target, now)
  const lists = await findReturnLists(tx, rows)
  return rows.flatMap(({ installedReleaseId: releaseId, ...group }): Newer[] => {
    const mayReturnTo = (releaseId === null ? null : lists.get(releaseId)) ?? null
    const refusal = downgradeRefusal({ releaseId, version: group.version, mayReturnTo }, release)
    if (refusal === null && allowsDowngrade) return []
    return [{ ...group, reason: refusal ?? 'rollout' }]
  })
}
