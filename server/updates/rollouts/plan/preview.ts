import { createHash } from 'node:crypto'
import { defaultWaves, type RolloutPreview, type Target, type Wave } from '../../../../contract/updates/rollout-plans'
import { releaseMoves } from '../../../../machines/release/release.machine'
import type { Tx } from '../../../core/database/tx'
import { idFromText } from '../../../core/ids'
import { requireKnownTags } from '../../../fleet/tags/known-tags'
import { type ReleaseRow } from '../../releases/repository'
import { requireIntactFiles, type Signed, signed } from '../../releases/signing/envelope'
import { notFound, refuse } from '../../../core/http/refuse'
import { formatTimestamp } from '../../../core/timestamps'
import { type Members, membersOf } from './members'
import { findMembers, sampleSize } from './members.repository'
import { countBytesOfRelease, countRolloutsOfRelease, listOverlaps, type Overlap } from './preview.repository'
import { planWaves } from './rank'
import { listTagged } from './rank.repository'
import { divideByTag, type Planned, type Tagged } from './waves'

export type Plan = { target: Target; waves: Wave[]; allowsDowngrade: boolean; isWayBack?: boolean | undefined }
export type Preview = {
  rolloutId: string
  hash: string
  members: Members
  waves: Planned[]
  bytes: number
  overlaps: Overlap[]
  signedRelease: Signed
}

const overlapsAtMost = 5

/**
 * The id that the rollout will have, so that the preview shows the actual devices of each wave: their number depends on it.
 * Derived from the release, its number of rollouts, the devices and the waves.
 */
const idOf = (release: ReleaseRow, hash: string) => idFromText(release.createdAt, `rollout ${hash}`)

type Hashed = { ordinal: number; members: Members; waves: readonly Wave[]; tagged: Tagged }

const hashOf = (release: ReleaseRow, { ordinal, members: { ids, trusting, byClient }, waves, tagged }: Hashed) => {
  const inTagWaves = [...divideByTag(ids, waves, tagged).byWave.values()]
  return createHash('sha256')
    .update(JSON.stringify([release.id, ordinal, ids, waves, trusting + byClient, inTagWaves]))
    .digest('hex')
}

/** Only a release that is signed, valid and not expired can be rolled out. */
export const requireDeployable = ({ state, expiresAt }: ReleaseRow, now: Date): void => {
  if (!releaseMoves.hasTag(state, 'deployable'))
    refuse(409, 'not_signed', { message: `The release is ${state.replaceAll('_', ' ')}`, about: { state } })
  if (!expiresAt || expiresAt <= now) refuse(409, 'manifest_expired', { message: 'The manifest of the release has expired' })
}

/** Its keys may have been revoked since it was signed: devices would refuse it. */
const requireSigned = ({ release: { state }, signedBy }: Signed): void => {
  if (releaseMoves.hasTag(state, 'deployable') && signedBy.length === 0)
    refuse(409, 'not_signed', { message: 'The keys that signed this release were revoked. Sign it with another key first' })
}

/** Which devices would get it, in which wave. Creating the rollout uses the same function, so that the preview is what runs. */
export const preview = async (tx: Tx, release: ReleaseRow, asked: Plan, now: Date): Promise<Preview> => {
  const { target, waves, allowsDowngrade, isWayBack } = asked
  // Renamed or deleted meanwhile, it would leave no device out.
  await requireKnownTags(tx, release.projectId, target.tags_none ?? [], 'target.tags_none')
  const found = (await signed(tx, [release])).get(release.id) ?? notFound()
  requireSigned(found)
  requireIntactFiles(found)
  const members = await membersOf(tx, { projectId: release.projectId, target, release: found, allowsDowngrade, isWayBack, now })
  const tagged = await listTagged(
    tx,
    release.projectId,
    waves.flatMap((wave) => (wave.kind === 'tag' ? wave.value : [])),
  )
  const ordinal = await countRolloutsOfRelease(tx, release.id)
  const hash = hashOf(release, { ordinal, members, waves, tagged })
  const rolloutId = idOf(release, hash)
  const planned = await planWaves(tx, { rolloutId, deviceIds: members.ids, tagged }, waves)
  const overlaps = await listOverlaps(tx, release.projectId, members.ids, overlapsAtMost)
  const bytes = await countBytesOfRelease(tx, release.id)
  return { rolloutId, hash, members, waves: planned, bytes, overlaps, signedRelease: found }
}

export const wavesOf = (waves: Wave[] | undefined): Wave[] => waves ?? defaultWaves

export const previewToJson = async (
  tx: Tx,
  { hash, members, waves, bytes, overlaps }: Preview,
): Promise<Omit<RolloutPreview, 'newer' | 'requires_approval'>> => {
  const total = members.ids.length
  const firsts = waves.map(({ deviceIds }) => deviceIds.slice(0, sampleSize))
  const named = await findMembers(tx, firsts.flat())
  return {
    total,
    waves: waves.map(({ wave, deviceIds, position, rankedUpTo }, n) => ({
      n: n + 1,
      plan_wave: position,
      count: deviceIds.length,
      asked_count: wave.kind === 'count' && rankedUpTo > wave.value ? wave.value : null,
      sample: (firsts[n] ?? []).flatMap((id) => named.get(id) ?? []),
    })),
    overlaps: overlaps.map(({ rolloutId, ...one }) => ({ rollout_id: rolloutId, ...one })),
    paused: members.paused && { ...members.paused, until: formatTimestamp(members.paused.until) },
    excluded: members.excluded,
    key_coverage: { trusting: members.trusting, not_applicable: members.byClient, total, missing: members.missing },
    size_bytes_total: bytes * total,
    preview_hash: hash,
  }
}
