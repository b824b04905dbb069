import type { RollBackPreview } from '../../../../contract/updates/roll-backs'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import type { Tx } from '../../../core/database/tx'
import { listRolloutsOfReleases } from './cancel.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { groupBy } from '../plan/group-by'
import { type ReturnPath, listReturnPaths } from './ways-back'

const counted = (group: readonly ReturnPath[]) => ({
  count: group.length,
  sample: group.slice(0, 5).map(({ id, name }) => ({ id, name })),
})

const largestFirst = (groups: Map<string, ReturnPath[]>) => [...groups.values()].toSorted((a, b) => b.length - a.length)

const listAlsoOffered = async (tx: Tx, { id: own, releaseId }: RolloutRow): Promise<RollBackPreview['also_offered']> =>
  (await listRolloutsOfReleases(tx, [releaseId]))
    .filter(({ id, phase }) => id !== own && rolloutMoves.hasTag(phase, 'underway') && rolloutMoves.hasTag(phase, 'open'))
    .map(({ id, name }) => ({ id, name }))

/** What a rollback would do now, by the same function that rolls back. */
export const rollBackPreview = async (tx: Tx, row: RolloutRow, now: Date): Promise<RollBackPreview> => {
  const ways = await listReturnPaths(tx, row, 'all', now)
  const returning = ways.filter(({ stay }) => stay === null)
  const staying = ways.filter(({ stay }) => stay !== null)
  const underWay = (list: readonly ReturnPath[]) => list.filter((way) => way.underWay).length
  return {
    returns: largestFirst(groupBy(returning, ({ former }) => former?.id ?? null)).flatMap((group) => {
      const former = group[0]?.former
      if (!former) return []
      const { id: release_id, name: release_name, version, displayVersion: display_version } = former
      return [{ release_id, release_name, version, display_version, ...counted(group) }]
    }),
    stays: largestFirst(groupBy(staying, ({ stay }) => stay?.text ?? null)).flatMap((group) => {
      const stay = group[0]?.stay
      return stay ? [{ ...stay, ...counted(group) }] : []
    }),
    under_way: { returning: underWay(returning), staying: underWay(staying) },
    also_offered: await listAlsoOffered(tx, row),
  }
}
