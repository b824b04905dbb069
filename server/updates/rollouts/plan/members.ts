import type { HardwareModel } from '../../../../contract/fleet/hardware-models'
import type { Target } from '../../../../contract/updates/rollout-plans'
import type { Tx } from '../../../core/database/tx'
import type { Signed } from '../../releases/signing/envelope'
import { findModelsOf } from '../decide/boards'
import type { CheckName } from '../decide/checks'
import { checkEligibility } from '../decide/decision'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { deviceFacts, releaseFacts, type ReturnLists, withoutWaits } from '../decide/to-decision-facts'
import { findReturnLists } from '../decide/return-lists.repository'
import type { ReleaseFacts } from '../decide/decision-facts'
import {
  findDevicesById,
  findMembers,
  type Kind,
  listKinds,
  type Member,
  sampleSize,
  type TargetedFleet,
} from './members.repository'

type Excluded = { reason: CheckName; count: number; sample: Member[] }
/**
 * `ids` in their order; `byClient`: how many of them verify what they install with keys that are not known here; `missing`: some
 * that trust none of the keys. A sample holds at most `sampleSize` devices.
 */
export type Members = {
  ids: string[]
  trusting: number
  byClient: number
  missing: Member[]
  excluded: Excluded[]
  /** Of the included devices: how many are paused, and the last end of their pauses. */
  paused: { count: number; until: Date } | null
  verdicts: Verdict[]
}

type MembersQuery = {
  projectId: string
  target: Target
  release: Signed
  allowsDowngrade: boolean
  now: Date
  /** A way back: a quarantine does not leave a device out. */
  isWayBack?: boolean | undefined
  among?: TargetedFleet['among']
}

// Kinds checked between two queries: so many take about 10 ms.
const kindsAtOnce = 500

/** `reason`: the first check that the devices of the kind fail. */
type Verdict = Kind & { reason: CheckName | null }

type Subject = {
  release: ReleaseFacts
  models: readonly HardwareModel[]
  asked: Pick<MembersQuery, 'allowsDowngrade' | 'now' | 'target' | 'isWayBack'>
}

/**
 * The checks of one device. One that trusts none of the keys stays included and is reported as key coverage, because its trust
 * can still change before its wave opens. With `key_trusted` it is left out. A device that is paused until a time stays included too, as
 * one that is paused after the start: its offer waits.
 */
export const checkMember = (row: DeviceRow, lists: ReturnLists, { release, models, asked }: Subject) => {
  const { allowsDowngrade, now, target, isWayBack } = asked
  const facts = deviceFacts(row, lists, models)
  const known = isWayBack ? withoutWaits(facts) : { ...facts, pausedUntil: null }
  const device = { ...known, trustedKeys: target.key_trusted ? known.trustedKeys : release.signedBy }
  return checkEligibility({ now, device, project: { active: true }, release, rollout: { includesDevice: true, allowsDowngrade } })
}

/** Checks one device of each kind. */
const judge = async (tx: Tx, kinds: readonly Kind[], release: ReleaseFacts, asked: MembersQuery): Promise<Verdict[]> => {
  const firsts = kinds.flatMap(({ ids }) => ids.slice(0, 1))
  const rows = await findDevicesById(tx, firsts)
  const lists = await findReturnLists(tx, rows)
  const models = await findModelsOf(tx, asked.projectId, rows)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return kinds.flatMap((kind) => {
    const row = byId.get(kind.ids[0] ?? '')
    if (!row) return []
    const { failed } = checkMember(row, lists, { release, models, asked })
    return [{ ...kind, reason: failed?.name ?? null }]
  })
}

/** The first devices of some kinds. */
const firstOf = (kinds: readonly Kind[]) =>
  kinds
    .flatMap(({ ids }) => ids.slice(0, sampleSize))
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
      count: kinds.reduce((sum, { ids }) => sum + ids.length, 0),
      sample: named(firstOf(kinds)),
    })),
  }
}

const pausedOf = (included: readonly Verdict[]): Members['paused'] => {
  const paused = included.flatMap(({ pausedMs, ids }) => (pausedMs === null ? [] : [{ until: pausedMs, count: ids.length }]))
  if (paused.length === 0) return null
  const count = paused.reduce((sum, one) => sum + one.count, 0)
  return { count, until: new Date(Math.max(...paused.map(({ until }) => until))) }
}

/**
 * Which of the targeted devices are eligible (checks 1 to 12), and why the others are not. The database groups the devices into
 * kinds and this process checks one of each kind, so that the cost here does not grow with the fleet.
 */
export const membersOf = async (tx: Tx, asked: MembersQuery): Promise<Members> => {
  const release = releaseFacts(asked.release)
  const { projectId, target, now, among } = asked
  const fleet = { projectId, target, release, now, among }
  const kinds = await listKinds(tx, fleet)
  const verdicts: Verdict[] = []
  for (let at = 0; at < kinds.length; at += kindsAtOnce)
    verdicts.push(...(await judge(tx, kinds.slice(at, at + kindsAtOnce), release, asked)))
  const included = verdicts.filter(({ reason }) => reason === null)
  const countOf = (some: readonly Verdict[]) => some.reduce((sum, { ids }) => sum + ids.length, 0)
  return {
    ids: included.flatMap(({ ids }) => ids).toSorted(),
    trusting: countOf(included.filter((one) => one.trusts && !one.byClient)),
    byClient: countOf(included.filter((one) => one.byClient)),
    ...(await samplesOf(tx, verdicts)),
    paused: pausedOf(included),
    verdicts,
  }
}
