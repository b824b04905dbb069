import { daysAfter } from '../../core/days'
import { lifetimes } from '../../core/lifetimes'
import { missing } from '../../../contract/permissions'
import type { Tx } from '../../core/database/tx'
import type { User } from '../../core/http/actors'
import type { Api } from '../../core/http/api'
import { findOpenUploadOfTarget, insertUpload } from './repository'
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
  const place = await api.resolveScope({ loaders: api.places, tx, ...scopeOf(targetId), user })
  const [first] = missing(place.grants, [permission])
  if (first !== undefined) refuse(403, 'forbidden', { requiredPermission: first })
  return place.project ?? notFound()
}

/**
 * Ends the open upload of a sender who has lost the right: nobody could complete it, and until it expires it would keep everybody
 * else from sending the file. Its id, if there is one.
 */
const endAbandoned = async (api: Api, tx: Tx, target: UploadTarget, targetId: string, now: Date): Promise<string | undefined> => {
  const open = await findOpenUploadOfTarget(tx, targetId)
  if (!open) return undefined
  const sender = await findActingUser(tx, { id: open.ownerId, credential: { kind: 'session', id: '' } }, now)
  try {
    if (sender) await admit(api, tx, sender, target, targetId)
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
  await cancelUpload(tx, open.id, 'failed', 'Its sender may no longer send it', now)
  return open.id
}

/** Stores an upload and that its target receives it from now on. Answers with the upload that it replaces, if it ended one. */
export const createUpload = async (api: Api, tx: Tx, given: New): Promise<string | undefined> => {
  const { id, user, size, metadata, now } = given
  const target = targetOf(metadata.purpose)
  const project = await admit(api, tx, user, target, metadata.target_id)
  const ended = await endAbandoned(api, tx, target, metadata.target_id, now)
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
