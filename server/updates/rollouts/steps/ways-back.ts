import type { HardwareModel } from '../../../../contract/fleet/hardware-models'
import type { StayReason } from '../../../../contract/updates/roll-backs'
import type { Tx } from '../../../core/database/tx'
import { findRelease, listReleasesById } from '../plan/releases.repository'
import type { RolloutRow } from '../rows/rollout-rows.repository'
import { listReturning } from './ways-back.repository'
import type { ReleaseRow } from '../../releases/repository'
import { type Signed, signed } from '../../releases/signing/envelope'
import { listRevokedBundles } from '../../secure-boot/repository'
import { notFound } from '../../../core/http/refuse'
import { labelOf } from '../../releases/label'
import { findModelsOf } from '../decide/boards'
import { downgradeRefusal } from '../decide/checks'
import { checkEligibility } from '../decide/decision'
import type { DeviceRow } from '../../../fleet/devices/repository'
import { deviceFacts, releaseFacts, withoutWaits } from '../decide/to-decision-facts'

type Stay = { reason: StayReason; text: string }
export type ReturnPath = {
  id: string
  name: string
  /** It has not installed the release yet: checked as if it had. */
  underWay: boolean
  former: ReleaseRow | null
  /** Null if it would go back. */
  stay: Stay | null
}

type Former = Signed & { isBundleRevoked: boolean }

const formerRefusal = ({ release, signedBy, isBundleRevoked }: Former, now: Date): Stay | null => {
  const label = labelOf(release)
  if (isBundleRevoked) return { reason: 'former_withdrawn', text: `the secure boot bundle of ${label} was revoked` }
  if (release.state === 'revoked' || release.state === 'archived')
    return { reason: 'former_withdrawn', text: `${label} was ${release.state}` }
  if (signedBy.length === 0) return { reason: 'former_withdrawn', text: `the keys that signed ${label} were revoked` }
  return release.expiresAt === null || release.expiresAt <= now
    ? { reason: 'former_expired', text: `the manifest of ${label} has expired` }
    : null
}

const listRefusal = (device: ReturnType<typeof deviceFacts>, from: ReleaseRow, to: ReleaseRow): Stay | null => {
  const refusal = device.installed && downgradeRefusal(device.installed, to)
  if (device.installed === null || device.installed.version < to.version || refusal === null) return null
  return refusal === 'not_listed'
    ? { reason: 'not_listed', text: `${labelOf(from)} does not list ${labelOf(to)} as a version to return to` }
    : { reason: 'signed_before', text: `${labelOf(from)} was signed before releases listed what they may return to` }
}

const reasons: Partial<Record<string, StayReason>> = { rollback_number_ok: 'rollback_number', key_trusted: 'key_not_trusted' }

type Returning = { row: DeviceRow; from: ReleaseRow; former: Former | undefined; models: readonly HardwareModel[] }

const stayOf = ({ row, from, former, models }: Returning, now: Date): Stay | null => {
  if (!former) return { reason: 'no_former_release', text: 'it ran no release of this project before' }
  const installed = { installedReleaseId: from.id, installedVersion: from.version, installedDisplayVersion: from.displayVersion }
  const device = withoutWaits(deviceFacts({ ...row, ...installed }, new Map([[from.id, from.mayReturnTo]]), models))
  const refused = formerRefusal(former, now) ?? listRefusal(device, from, former.release)
  if (refused) return refused
  const rollout = { includesDevice: true, allowsDowngrade: true }
  const { failed } = checkEligibility({ now, device, project: { active: true }, release: releaseFacts(former), rollout })
  if (!failed) return null
  return { reason: reasons[failed.name] ?? 'device', text: failed.text.charAt(0).toLowerCase() + failed.text.slice(1) }
}

const findFormers = async (tx: Tx, ids: readonly string[]): Promise<Map<string, Former>> => {
  const rows = await listReleasesById(tx, ids)
  const bundles = rows.flatMap(({ secureBootBundleId }) => secureBootBundleId ?? [])
  const revoked = new Set((await listRevokedBundles(tx, bundles)).map(({ id }) => id))
  const formers = await signed(tx, rows)
  return new Map(
    [...formers].map(([id, one]) => [id, { ...one, isBundleRevoked: revoked.has(one.release.secureBootBundleId ?? '') }]),
  )
}

/**
 * The release that each device which has, or is installing, the release of this rollout can return to, or why it stays; by
 * name.
 */
export const listReturnPaths = async (tx: Tx, row: RolloutRow, which: 'all' | 'undecided', now: Date): Promise<ReturnPath[]> => {
  const found = await listReturning(tx, row, which)
  if (found.length === 0) return []
  const from = await findRelease(tx, row.releaseId)
  if (!from) return notFound()
  const ids = new Set(found.flatMap(({ formerId }) => (formerId === null || formerId === from.id ? [] : [formerId])))
  const formers = await findFormers(tx, [...ids])
  const models = await findModelsOf(
    tx,
    row.projectId,
    found.map(({ device }) => device),
  )
  return found.map(({ device, formerId }) => {
    const former = formers.get(formerId ?? '')
    return {
      id: device.id,
      name: device.name,
      underWay: device.installedReleaseId !== from.id,
      former: former?.release ?? null,
      stay: stayOf({ row: device, from, former, models }, now),
    }
  })
}
