import { daysAfter } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { missing } from '../../../contract/core/permissions'
import type { Tx } from '../../core/database/tx'
import type { User } from '../../core/http/actors'
import type { Api } from '../../core/http/api'
import { findOpenUploadOfTarget, insertUpload, type UploadRow } from './repository'
import { notFound, Refusal, refuse, refuseField } from '../../core/http/refuse'
import { findActingUser } from '../../accounts/access-tokens/authenticate'
import { cancelUpload } from './cancel'
import type { UploadMetadata } from './metadata'
import { checkSpace } from './disk-space'
import type { UploadTarget } from './target'
import { targetOf } from './targets'

type New = { id: string; user: User; size: number; metadata: UploadMetadata; now: Date }

/** Checks the caller's right over the object that receives the bytes, as every other endpoint does. */
const admit = async (api: Api, tx: Tx, user: User, { scopeOf, permission }: UploadTarget, targetId: string) => {
  const place = await api.rights.resolveScope({ loaders: api.rights.loaders, tx, ...scopeOf(targetId), user })
  const [first] = missing(place.grants, [permission])
  if (first !== undefined) refuse(403, 'forbidden', { requiredPermission: first })
  return place.project ?? notFound()
}

/** The sender of an upload who may still complete it. */
const findSender = async (api: Api, tx: Tx, { ownerId, targetId }: UploadRow, target: UploadTarget, now: Date) => {
  const sender = await findActingUser(tx, { id: ownerId, credential: { kind: 'session', id: '' } }, now)
  try {
    if (sender) await admit(api, tx, sender, target, targetId)
    return sender
  } catch (error) {
    if (error instanceof Refusal) return null
    throw error
  }
}

/** Why a new upload ends the open one; undefined if it does not. */
const reasonToEnd = async (api: Api, tx: Tx, open: UploadRow, { user, now }: New) => {
  const target = targetOf(open.purpose)
  const sender = await findSender(api, tx, open, target, now)
  // It cannot be completed any more, and until it expires no other person could send the file.
  if (!sender) return 'Its sender may no longer send it'
  if (await target.takesOver?.(tx, open.targetId)) return 'The file is sent by another upload'
  const isOwn = open.ownerId === user.id
  // The answer to its creation was lost.
  if (isOwn && open.offset === 0) return 'Its sender has begun it anew'
  const message = isOwn
    ? 'You have begun an upload of this file: continue or cancel it, or remove the file and add it again'
    : `${sender.name || 'Another person'} has begun an upload of this file. To send it yourself, remove the file and add it again`
  return refuse(409, 'conflict', { message, about: { state: 'uploading' } })
}

/** Ends the open upload of the target if a new one may replace it. Its id, if there is one. */
const endFormer = async (api: Api, tx: Tx, given: New): Promise<string | undefined> => {
  const open = await findOpenUploadOfTarget(tx, given.metadata.target_id)
  if (!open) return undefined
  await cancelUpload(tx, open.id, 'failed', await reasonToEnd(api, tx, open, given), given.now)
  return open.id
}

/** Stores an upload and that its target receives it from now on. Answers with the upload that it replaces, if it ended one. */
export const createUpload = async (api: Api, tx: Tx, given: New): Promise<string | undefined> => {
  const { id, user, size, metadata, now } = given
  const target = targetOf(metadata.purpose)
  const project = await admit(api, tx, user, target, metadata.target_id)
  const ended = await endFormer(api, tx, given)
  const { sha256: announced, contentType } = await target.begin(tx, given)
  if (metadata.sha256 !== undefined && announced !== null && metadata.sha256 !== announced)
    refuseField('sha256', 'other_hash', 'The file was declared with another hash')
  await checkSpace(tx, api.deps, project, size)
  await insertUpload(tx, {
    id,
    createdAt: now,
    projectId: project.id,
    ownerId: user.id,
    fileName: metadata.filename,
    contentType: metadata.filetype ?? contentType,
    size,
    sha256: metadata.sha256 ?? announced,
    fingerprint: metadata.fingerprint ?? null,
    purpose: metadata.purpose,
    targetId: metadata.target_id,
    state: 'open',
    expiresAt: daysAfter(now, lifetimes.uploadDays),
  })
  return ended
}
