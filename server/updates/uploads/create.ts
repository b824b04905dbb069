import { daysAfter } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { missing } from '../../../contract/permissions'
import { updateAsset } from '../releases/assets/repository'
import type { Tx } from '../../core/database/tx'
import { isEditable, transitionRelease } from '../releases/transitions'
import type { User } from '../../core/http/actors'
import type { Api } from '../../core/http/api'
import { insertUpload } from './repository'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { openTarget } from './cancel'
import type { UploadMetadata } from './metadata'
import { checkSpace } from './disk-space'

type New = { id: string; user: User; size: number; metadata: UploadMetadata; now: Date }

/** Checks the caller's right over the object that receives the bytes, as every other endpoint does. */
const admit = async (api: Api, tx: Tx, user: User, targetId: string) => {
  const place = await api.resolveScope({
    loaders: api.places,
    tx,
    scope: { from: 'object', noun: 'asset', param: 'assetId' },
    params: { assetId: targetId },
    user,
  })
  const [first] = missing(place.grants, ['project:manage_releases'])
  if (first !== undefined) refuse(403, 'forbidden', { requiredPermission: first })
  return place.project ?? notFound()
}

const receives = async (tx: Tx, { metadata, size }: New) => {
  const target = (await openTarget(tx, metadata.target_id)) ?? notFound()
  const { asset, release } = target
  if (!isEditable(release.state) && asset.damagedAt === null)
    refuse(409, 'not_a_draft', { message: 'Files can be changed in a draft only' })
  if (asset.state !== 'expected' && asset.state !== 'rejected') refuse(409, 'conflict', { about: { state: asset.state } })
  if (size !== asset.size) refuseField('size', 'other_size', `The file was declared with ${asset.size} bytes`)
  return target
}

/** Stores an upload and its target; the release is uploading from now on. */
export const createUpload = async (api: Api, tx: Tx, given: New): Promise<void> => {
  const { id, user, size, metadata, now } = given
  const project = await admit(api, tx, user, metadata.target_id)
  const { asset, release } = await receives(tx, given)
  // A signed file can only be replaced by identical bytes.
  const isSigned = !isEditable(release.state)
  const announced = isSigned || asset.state === 'expected' ? asset.sha256 : null
  if (metadata.sha256 !== undefined && announced !== null && metadata.sha256 !== announced)
    refuseField('sha256', 'other_hash', 'The file was declared with another hash')
  await checkSpace(tx, api.deps, project, size)
  await insertUpload(tx, {
    id,
    createdAt: now,
    projectId: project.id,
    ownerId: user.id,
    fileName: metadata.filename,
    contentType: metadata.filetype ?? asset.contentType,
    size,
    sha256: metadata.sha256 ?? announced,
    fingerprint: metadata.fingerprint ?? null,
    purpose: metadata.purpose,
    targetId: asset.id,
    state: 'open',
    expiresAt: daysAfter(now, lifetimes.uploadDays),
  })
  await updateAsset(tx, asset.id, { state: 'uploading', rejectReason: null }, now)
  if (!isSigned) await transitionRelease(tx, release, 'upload.began', now)
}
