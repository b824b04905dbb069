import type { AnswerOf, QueryOf } from '../../../../contract/core/endpoint'
import type { PreviewDevice, previewRolloutDevices } from '../../../../contract/updates/rollout-plans'
import { findModelsOf } from '../decide/boards'
import type { Tx } from '../../../core/database/tx'
import { formatTimestampOrNull } from '../../../core/timestamps'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { limitTotal } from '../../../core/http/paging'
import { refuseField } from '../../../core/http/refuse'
import type { ReleaseRow } from '../../releases/repository'
import type { CheckName } from '../decide/checks'
import { releaseFacts } from '../decide/to-decision-facts'
import { checkMember } from './members'
import { findDevicesById } from './members.repository'
import { type Plan, preview, type Preview } from './preview'
import { listDevicesNamed, listTargetedDevices, pagingByName } from './preview-devices.repository'
import { findReturnLists } from '../decide/return-lists.repository'

type Query = NonNullable<QueryOf<typeof previewRolloutDevices>>
type Asked = { plan: Plan; query: Query; now: Date }

/** The targeted devices by name, each with the check that excludes it, or its wave. */
type DeviceList = {
  at: Date
  signedRelease: Preview['signedRelease']
  ids: readonly string[]
  reasons: readonly (CheckName | null)[]
  waveOf: ReadonlyMap<string, number>
}

// Every page of a list is cut from the same computation: computing it for each page would read the whole fleet again. A list of
// 50,000 devices takes some 10 MB, so few are kept, and not for long.
const mostLists = 4
const keptMs = 60_000
const lists = new Map<string, DeviceList>()

const keyOf = ({ id }: ReleaseRow, plan: Plan, hash: string) => JSON.stringify([id, hash, plan])

const compute = async (tx: Tx, release: ReleaseRow, { plan, now }: Asked): Promise<{ hash: string; list: DeviceList }> => {
  const { hash, members, waves, signedRelease } = await preview(tx, release, plan, now)
  const fleet = { projectId: release.projectId, target: plan.target, release: releaseFacts(signedRelease), now, among: undefined }
  const { verdicts } = members
  const { ids, kinds } = await listTargetedDevices(
    tx,
    fleet,
    verdicts.map(({ kind }) => kind),
  )
  const waveOf = new Map(waves.flatMap(({ deviceIds }, n) => deviceIds.map((id) => [id, n + 1] as const)))
  return { hash, list: { at: now, signedRelease, ids, reasons: kinds.map((n) => verdicts[n]?.reason ?? null), waveOf } }
}

/** The list of the preview with this hash, if it was computed here within the last minute; otherwise that of now. */
const findList = async (tx: Tx, release: ReleaseRow, asked: Asked): Promise<DeviceList> => {
  const { plan, query, now } = asked
  for (const [key, { at }] of lists) if (now.getTime() - at.getTime() >= keptMs) lists.delete(key)
  const known = lists.get(keyOf(release, plan, query.preview_hash ?? ''))
  if (known) return known
  const { hash, list } = await compute(tx, release, asked)
  const [oldest] = lists.keys()
  if (lists.size >= mostLists && oldest !== undefined) lists.delete(oldest)
  lists.set(keyOf(release, plan, hash), list)
  return list
}

const matching = ({ ids, reasons, waveOf }: DeviceList, { group, reason, wave }: Query, named: ReadonlySet<string> | null) =>
  ids.filter(
    (id, n) =>
      (group === undefined || (group === 'included') === (reasons[n] === null)) &&
      (reason === undefined || reasons[n] === reason) &&
      (wave === undefined || waveOf.get(id) === wave) &&
      (named === null || named.has(id)),
  )

const isPaused = ({ updatesPausedUntil: until }: DeviceRow, now: Date) => until !== null && until > now

/** One page of the devices of a preview, each with its wave or the check that excludes it: the verdict of the preview itself. */
export const listPreviewDevices = async (
  tx: Tx,
  release: ReleaseRow,
  asked: Asked,
): Promise<AnswerOf<typeof previewRolloutDevices>> => {
  const { plan, query, now } = asked
  const page = pagingByName(query)
  const list = await findList(tx, release, asked)
  const all = matching(list, query, query.q ? await listDevicesNamed(tx, release.projectId, query.q) : null)
  if (query.sort === '-name') all.reverse()
  const [position, last] = page.position ?? []
  // By the position, if the device left the list since.
  const after = last === undefined ? 0 : all.includes(last) ? all.indexOf(last) + 1 : Number(position)
  if (!Number.isInteger(after)) return refuseField('cursor', 'cursor', 'The cursor does not belong to this list')
  const { rows: ids, next_cursor } = page.cut(all.slice(after, after + page.take), (id) => [String(all.indexOf(id) + 1), id])
  const rows = new Map((await findDevicesById(tx, ids)).map((row) => [row.id, row]))
  const facts = releaseFacts(list.signedRelease)
  const returns = await findReturnLists(tx, [...rows.values()])
  const models = await findModelsOf(tx, release.projectId, [...rows.values()])
  const shown = ids.flatMap((id): PreviewDevice[] => {
    const row = rows.get(id)
    if (!row) return []
    const { failed } = checkMember(row, returns, { release: facts, models, asked: { ...plan, now } })
    return [
      {
        id,
        name: row.name,
        hardware_model: row.hardwareModel,
        version: row.installedVersion,
        display_version: row.installedDisplayVersion,
        wave: list.waveOf.get(id) ?? null,
        paused_until: failed === null && isPaused(row, now) ? formatTimestampOrNull(row.updatesPausedUntil) : null,
        reason: failed?.name ?? null,
        text: failed?.text ?? null,
        observed: failed?.observed ?? null,
        required: failed?.required ?? null,
      },
    ]
  })
  return { devices: shown, next_cursor, total: limitTotal(all.length) }
}
