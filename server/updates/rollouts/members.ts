import { and, asc, count, inArray, type SQL, sql } from 'drizzle-orm'
import type { Target } from '../../../contract/rollout-plans'
import { devices } from '../../fleet/schema/devices'
import type { Tx } from '../../core/database/tx'
import type { Signed } from '../releases/signing/envelope'
import type { CheckName } from './checks'
import { checkEligibility } from './decision'
import { deviceFacts, releaseFacts } from './facts-of'
import { findReturnLists } from './return-lists.repository'
import type { ReleaseFacts } from './facts'
import { targeted } from '../../fleet/devices/target.repository'

export type Member = { id: string; name: string; never_seen: boolean }
export type Excluded = { reason: CheckName; count: number; sample: Member[] }
/** `ids` in their order; `missing`: some of them that trust none of the keys. A sample holds at most `sampleSize` devices. */
export type Members = { ids: string[]; trusting: number; missing: Member[]; excluded: Excluded[] }

type Asked = { projectId: string; target: Target; release: Signed; allowsDowngrade: boolean; now: Date; among?: SQL }

export const sampleSize = 5
// Kinds checked between two queries: so many take about 10 ms.
const kindsAtOnce = 500

const trusts = ({ signedBy }: ReleaseFacts) => sql<boolean>`${devices.trustedKeys} && ${sql.param([...signedBy])}::text[]`

/** All facts of a device that checks 1 to 12 depend on: devices of one kind get the same verdict. */
const kindOf = (release: ReleaseFacts, now: Date) => {
  const at = sql`${now.toISOString()}::timestamptz`
  return sql<string>`jsonb_build_array(
    ${devices.lifecycle}, ${devices.updatesEnabled}, coalesce(${devices.updatesPausedUntil} > ${at}, false),
    coalesce(${devices.quarantineUntil} > ${at}, false), ${devices.quarantineReleaseId}, ${devices.hardwareModel},
    ${devices.installedReleaseId}, ${devices.installedVersion}, ${devices.rollbackVersion}, ${trusts(release)})::text`
}

type Kind = { kind: string; trusts: boolean; n: number; first: string[] }
type Verdict = Kind & { reason: CheckName | null }

/**
 * Checks one device of each kind. A device that trusts none of the keys stays included and is reported as key coverage, because
 * its trust can still change before its wave opens. With `key_trusted` it is left out.
 */
const judge = async (tx: Tx, kinds: readonly Kind[], release: ReleaseFacts, asked: Asked): Promise<Verdict[]> => {
  const { allowsDowngrade, now, target } = asked
  const firsts = kinds.flatMap(({ first }) => first.slice(0, 1))
  const rows = await tx.select().from(devices).where(inArray(devices.id, firsts))
  const lists = await findReturnLists(tx, rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return kinds.flatMap((kind) => {
    const row = byId.get(kind.first[0] ?? '')
    if (!row) return []
    const known = deviceFacts(row, lists)
    const device = { ...known, trustedKeys: target.key_trusted ? known.trustedKeys : release.signedBy }
    const rollout = { targets: true, allowsDowngrade }
    const { failed } = checkEligibility({ now, device, project: { active: true }, release, rollout })
    return [{ ...kind, reason: failed?.name ?? null }]
  })
}

/** These devices by their ids, in the form of a sample. */
export const findMembers = async (tx: Tx, ids: readonly string[]): Promise<Map<string, Member>> => {
  if (ids.length === 0) return new Map()
  const { id, name, lastSeenAt } = devices
  const rows = await tx
    .select({ id, name, never_seen: sql<boolean>`${lastSeenAt} is null` })
    .from(devices)
    .where(inArray(id, [...ids]))
  return new Map(rows.map((row) => [row.id, row]))
}

/** The first devices of some kinds. */
const firstOf = (kinds: readonly Kind[]) =>
  kinds
    .flatMap(({ first }) => first)
    .toSorted()
    .slice(0, sampleSize)

const samplesOf = async (tx: Tx, verdicts: readonly Verdict[]): Promise<Pick<Members, 'missing' | 'excluded'>> => {
  const reasons = [...new Set(verdicts.flatMap(({ reason }) => reason ?? []))]
  const groups = reasons.map((reason) => ({ reason, kinds: verdicts.filter((verdict) => verdict.reason === reason) }))
  const missing = firstOf(verdicts.filter(({ reason, trusts: has }) => reason === null && !has))
  const members = await findMembers(tx, [...missing, ...groups.flatMap(({ kinds }) => firstOf(kinds))])
  const named = (ids: readonly string[]) => ids.flatMap((id) => members.get(id) ?? [])
  return {
    missing: named(missing),
    excluded: groups.map(({ reason, kinds }) => ({
      reason,
      count: kinds.reduce((sum, { n }) => sum + n, 0),
      sample: named(firstOf(kinds)),
    })),
  }
}

/**
 * Which of the targeted devices are eligible (checks 1 to 12), and why the others are not. The database groups the devices into
 * kinds and this process checks one of each kind, so that the cost here does not grow with the fleet.
 */
export const membersOf = async (tx: Tx, asked: Asked): Promise<Members> => {
  const release = releaseFacts(asked.release)
  const kind = kindOf(release, asked.now)
  const where = and(targeted(asked.projectId, asked.target), asked.among)
  // Named columns: expressions with parameters would be two different ones in select and group by.
  const fleet = tx
    .select({ id: devices.id, kind: kind.as('kind'), trusts: trusts(release).as('trusts') })
    .from(devices)
    .where(where)
    .as('fleet')
  const kinds: Kind[] = await tx
    .select({
      kind: fleet.kind,
      trusts: sql<boolean>`bool_or(${fleet.trusts})`,
      n: count(),
      first: sql<string[]>`(array_agg(${fleet.id} order by ${fleet.id}))[1:${sql.raw(String(sampleSize))}]`,
    })
    .from(fleet)
    .groupBy(fleet.kind)
    .orderBy(asc(fleet.kind))
  const verdicts: Verdict[] = []
  for (let at = 0; at < kinds.length; at += kindsAtOnce)
    verdicts.push(...(await judge(tx, kinds.slice(at, at + kindsAtOnce), release, asked)))
  const included = verdicts.filter(({ reason }) => reason === null).map((verdict) => verdict.kind)
  const [found] = await tx
    .select({
      ids: sql<string | null>`string_agg(${fleet.id}, ',' order by ${fleet.id} collate "C")`,
      trusting: sql<number>`count(*) filter (where ${fleet.trusts})`.mapWith(Number),
    })
    .from(fleet)
    .where(sql`${fleet.kind} = any(${sql.param(included)}::text[])`)
  return {
    // One text instead of a row per device: splitting it takes milliseconds.
    ids: found?.ids?.split(',') ?? [],
    trusting: found?.trusting ?? 0,
    ...(await samplesOf(tx, verdicts)),
  }
}
