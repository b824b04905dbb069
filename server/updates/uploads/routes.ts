import { Metadata } from '@tus/server'
import { nextId } from '../../core/ids'
import { missing } from '../../../contract/core/permissions'
import * as contract from '../../../contract/updates/uploads'
import { isAccessTokenValid } from '../../accounts/access-tokens/repository'
import { isSessionOpen } from '../../accounts/sessions/repository'
import type { Deps } from '../../core/deps'
import type { User } from '../../core/http/actors'
import type { Api } from '../../core/http/api'
import { record } from '../../core/http/audit'
import type { Call } from '../../core/http/call'
import { authorize } from '../../core/http/guard'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { incomingOf } from '../../core/storage/directory-incoming'
import { completeUpload } from './complete'
import { createUpload } from './create'
import { discardParts } from './ended'
import { Hashes } from './hashes'
import { identify } from './identify'
import { readIdentity, readLength, readMetadata } from './metadata'
import { findUpload, getUpload, listUploads, type UploadRow } from './repository'
import { uploadToJson } from './to-json'
import { targetOf } from './targets'
import { openTus, type Tus } from './tus'

const parsed = (header: string | string[] | undefined) => {
  try {
    return typeof header === 'string' ? Metadata.parse(header) : undefined
  } catch {
    return refuse(400, 'malformed', { message: 'Upload-Metadata could not be read' })
  }
}

const demandTus = ({ request, reply }: Pick<Call<typeof contract.createUpload>, 'request' | 'reply'>) => {
  reply.header('Tus-Resumable', '1.0.0')
  if (request.headers['tus-resumable'] !== '1.0.0') refuse(400, 'malformed', { message: 'Tus-Resumable must be 1.0.0' })
}

const one = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

const create = (api: Api) =>
  route(api, contract.createUpload, async ({ deps, request, reply, user, now }) => {
    demandTus({ request, reply })
    const size = readLength(one(request.headers['upload-length']))
    const metadata = readMetadata(parsed(request.headers['upload-metadata']))
    const id = nextId(now)
    const ended = await deps.db.transaction((tx) => createUpload(api, tx, { id, user, size, metadata, now }))
    if (ended !== undefined) await discardParts(deps, [ended])
    await incomingOf(deps).begin(id)
    const row = await findUpload(deps.db, id)
    reply.headers({ Location: `/uploads/${id}`, 'Upload-Expires': row?.expiresAt.toUTCString() ?? '' })
  })

type Own = { tus: Tus; hashes: Hashes }
type Sending = Call<typeof contract.sendUpload> | Call<typeof contract.uploadOffset>

/** 401 if the session or access token has ended since the request began. Idle time does not count: bytes were arriving. */
const requireLiveCredential = async ({ db, clock }: Deps, { credential: { kind, id } }: User) => {
  const isValid = kind === 'session' ? await isSessionOpen(db, id) : await isAccessTokenValid(db, id, clock())
  if (!isValid) refuse(401, 'unauthenticated')
}

/** All bytes received: verifies the hash and stores the file, before the answer to this request. */
const finish = async (api: Api, call: Sending, hashes: Hashes) => {
  const { deps, params, actor, user, request, now } = call
  // Bytes may arrive for hours: a client that lost the right meanwhile does not complete the upload.
  await requireLiveCredential(deps, user)
  const place = await authorize(api, contract.sendUpload, actor, params)
  const { action, permission, refusedAction } = targetOf((await getUpload(deps.db, params.uploadId)).purpose)
  const [first] = place ? missing(place.grants, [permission]) : []
  if (first !== undefined) refuse(403, 'forbidden', { requiredPermission: first })
  const done = await completeUpload(deps, hashes, params.uploadId, async (tx, { target, wrong }) => {
    if (wrong === null) await record(tx, { actor, place, request, now, action }, { target })
    else if (wrong.code === 'private_key' && refusedAction)
      await record(tx, { actor, place, request, now, action: refusedAction, result: 'failure' }, { target, reason: wrong.text })
  })
  if (done?.wrong) refuse(422, done.wrong.code, { message: done.wrong.text })
}

// A client that sends a fingerprint also sends the hash of the whole file when it is known: at the latest after the last byte.
const isNamed = ({ fingerprint, sha256 }: UploadRow) => fingerprint === null || sha256 !== null

const send = async (api: Api, call: Sending, { tus, hashes }: Own) => {
  const said = readIdentity(parsed(call.request.headers['upload-metadata']))
  await identify(call.deps.db, call.params.uploadId, said)
  const { response, upload } = await tus.handle(call.request, call.reply, call.raw)
  const { uploadId } = call.params
  const { size, expiresAt } = upload ?? (await getUpload(call.deps.db, uploadId))
  const isReceived = Number(response.headers.get('upload-offset')) === size
  if (isReceived && isNamed(await getUpload(call.deps.db, uploadId))) await finish(api, call, hashes)
  else call.reply.header('Upload-Expires', expiresAt.toUTCString())
}

export const uploadRoutes = (api: Api): void => {
  const hashes = new Hashes((error) => api.deps.log.error(error, 'the thread that hashes uploads has failed'))
  const tus = openTus(api.deps, hashes)
  api.app.addHook('onClose', async () => {
    await tus.close()
    await hashes.close()
  })

  route(api, contract.uploads, async ({ tx, user, query }) => {
    // An access token reaches one project only.
    const projectId = user.credential.kind === 'access_token' ? user.credential.projectId : undefined
    const rows = await listUploads(tx, { ownerId: user.id, projectId, state: query.state })
    return { uploads: rows.map(uploadToJson) }
  })
  create(api)
  route(api, contract.sendUpload, (call) => send(api, call, { tus, hashes }))
  route(api, contract.uploadOffset, (call) => send(api, call, { tus, hashes }))
  route(api, contract.upload, async ({ tx, params }) => uploadToJson(await getUpload(tx, params.uploadId)))
  route(api, contract.deleteUpload, async ({ deps, params, request, reply, raw }) => {
    await tus.handle(request, reply, raw)
    // It was completed before: its file stays.
    if ((await getUpload(deps.db, params.uploadId)).state === 'complete')
      refuse(409, 'conflict', { message: 'The upload is complete. Remove its file instead' })
  })
}
