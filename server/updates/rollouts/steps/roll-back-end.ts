import type { Tx } from '../../../core/database/tx'
import { statesOf } from '../../../fleet/devices/state/update-group'
import { unavailableTexts } from '../decide/checks'
import { findRelease } from '../plan/releases.repository'
import { listSent, listStaying, type Sent, type Wait } from './roll-back-end.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { groupBy } from '../plan/group-by'
import { labelOf } from '../../releases/label'

/** Devices that keep the release, for one reason. */
export type KeptDevices = { reason: string; names: string[] }
/** Devices that still return: offline, or waiting for something else. */
type AwayDevices = { waitsFor: Wait | 'contact'; names: string[] }
/** `moved`: sent back, but another release was installed first. */
export type RollBackOutcome = {
  label: string
  total: number
  back: number
  moved: number
  away: AwayDevices[]
  kept: KeptDevices[]
}

const waiting: readonly string[] = statesOf('waiting')
const namedDevices = 5
const namedReasons = 3

const some = (names: readonly string[]) => {
  const rest = names.length - namedDevices
  return rest > 0 ? `${names.slice(0, namedDevices).join(', ')} and ${rest} more` : names.join(', ')
}

const numberOf = (kept: readonly KeptDevices[]) => kept.reduce((sum, { names }) => sum + names.length, 0)

/** "2 keep 2.6.0: gw-1 (why), gw-2 (why else)"; the reason of most devices first. */
export const formatKeptDevices = (label: string, kept: readonly KeptDevices[]): string => {
  const ordered = kept.toSorted((a, b) => b.names.length - a.names.length)
  const told = ordered.slice(0, namedReasons).map(({ reason, names }) => `${some(names)} (${reason})`)
  const untold = numberOf(ordered.slice(namedReasons))
  const count = numberOf(kept)
  return `${count} ${count === 1 ? 'keeps' : 'keep'} ${label}: ${[...told, ...(untold > 0 ? [`${untold} for other reasons`] : [])].join('; ')}`
}

const awayTexts: Record<Wait | 'contact', readonly [one: string, more: string]> = {
  contact: ['is offline and returns at the next check-in', 'are offline and return at the next check-in'],
  resume: ['waits until the rollout that sends it back is resumed', 'wait until the rollout that sends them back is resumed'],
  quarantine: [
    'is in quarantine and returns when that ends or is cleared',
    'are in quarantine and return when that ends or is cleared',
  ],
  pause: [
    'is paused and returns when that ends or its updates are resumed',
    'are paused and return when that ends or their updates are resumed',
  ],
  connection: [
    'loses every download and is offered it again, check its connection',
    'lose every download and are offered it again, check their connection',
  ],
}

const awayText = ({ waitsFor, names }: AwayDevices) => {
  const [one, more] = awayTexts[waitsFor]
  return `${names.length} ${names.length === 1 ? one : more}: ${some(names)}`
}

/** The last entry of a rollback: how many devices have confirmed their previous release, which have not, and why. */
export const outcomeText = ({ label, total, back, moved, away, kept }: RollBackOutcome): string => {
  if (total === 0) return `No device has ${label}`
  if (back === total) return total === 1 ? 'The device has returned' : `All ${total} devices have returned`
  const parts = [`${back} of ${total} returned`]
  parts.push(...away.map(awayText))
  if (kept.length > 0) parts.push(formatKeptDevices(label, kept))
  if (moved > 0) parts.push(`${moved} ${moved === 1 ? 'runs' : 'run'} another release`)
  return parts.join('; ')
}

const uncapitalize = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

const failureOf = ({ state, error, expired }: Sent) => {
  const unable = Object.values<string>(unavailableTexts).find((text) => text === error)
  if (unable !== undefined) return uncapitalize(unable)
  if (state === 'succeeded') return 'it was installed again'
  if (state === 'cancelled' && expired !== null) return uncapitalize(expired)
  if (state === 'cancelled' || state === 'skipped') return 'its rollback was cancelled'
  return error === null ? 'its rollback failed' : `its rollback failed: ${error}`
}

const group = (found: readonly { name: string; reason: string }[]): KeptDevices[] =>
  [...groupBy(found, ({ reason }) => reason)].map(([reason, kept]) => ({ reason, names: kept.map(({ name }) => name) }))

/** The state of the devices that had the release of this rollout, counted by their own confirmations. */
export const measureRollBack = async (tx: Tx, row: RolloutRow, now: Date): Promise<RollBackOutcome> => {
  const sent = await listSent(tx, row, now)
  const stayed = await listStaying(tx, row)
  const release = await findRelease(tx, row.releaseId)
  const back = sent.filter((one) => one.state === 'succeeded' && !one.runsIt).length
  const returnsLater = ({ runsIt, waitsFor }: Sent) => runsIt && (waitsFor === 'connection' || waitsFor === 'resume')
  const away = sent.filter((one) => waiting.includes(one.state) || returnsLater(one))
  const lost = sent.filter((one) => one.runsIt && !away.includes(one))
  const kept = group([...stayed, ...lost.map((one) => ({ name: one.name, reason: failureOf(one) }))])
  const total = sent.length + stayed.length
  const byWait = groupBy(away, ({ waitsFor }) => waitsFor ?? 'contact')
  const moved = sent.length - back - away.length - lost.length
  return {
    label: release ? labelOf(release) : row.name,
    total,
    back,
    moved,
    away: [...byWait].map(([waitsFor, ones]) => ({ waitsFor, names: ones.map(({ name }) => name) })),
    kept,
  }
}
