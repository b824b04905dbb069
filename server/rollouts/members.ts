import { asc } from 'drizzle-orm'
import type { Target } from '../../contract/rollout-plans'
import { devices } from '../database/schema/devices'
import type { Tx } from '../database/tx'
import type { Signed } from '../delivery/signed'
import type { CheckName } from './checks'
import { belongs } from './decision'
import { type DeviceRow, deviceFacts, releaseFacts } from './facts-of'
import { targeted } from './target'

export type Member = { id: string; name: string }
export type Members = { included: Member[]; excluded: Map<CheckName, Member[]>; trusting: number }

type Asked = { projectId: string; target: Target; release: Signed; allowsDowngrade: boolean; now: Date }

/**
 * Who of the targeted belongs (checks 1 to 12), and why the others do not. A device that trusts none of the keys stays in:
 * it is told apart as key coverage, because its trust can still change before its turn comes.
 */
export const membersOf = async (tx: Tx, { projectId, target, release, allowsDowngrade, now }: Asked): Promise<Members> => {
  const rows: DeviceRow[] = await tx.select().from(devices).where(targeted(projectId, target)).orderBy(asc(devices.id))
  const facts = releaseFacts(release)
  const members: Members = { included: [], excluded: new Map(), trusting: 0 }
  for (const row of rows) {
    const device = deviceFacts(row)
    const trusts = facts.signedBy.some((fingerprint) => device.trustedKeys.includes(fingerprint))
    const believed = { ...device, trustedKeys: trusts ? device.trustedKeys : facts.signedBy }
    const { failed } = belongs({
      now,
      device: believed,
      project: { active: true },
      release: facts,
      rollout: { targets: true, allowsDowngrade },
    })
    const member = { id: row.id, name: row.name }
    if (failed) members.excluded.set(failed.name, [...(members.excluded.get(failed.name) ?? []), member])
    else {
      members.included.push(member)
      members.trusting += trusts ? 1 : 0
    }
  }
  return members
}
