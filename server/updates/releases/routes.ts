import * as releaseSigning from '../../../contract/updates/release-signing'
import * as contract from '../../../contract/updates/releases'
import { toAuthor } from '../../core/http/author'
import { isEditable, transitionRelease } from './transitions'
import { envelopeText, signed } from './signing/envelope'
import type { CancelRollouts, EndUploads } from './callbacks'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { notFound, refuse } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { readStoredBundles } from './stored-bundles'
import { changeRelease, createDraft } from './drafts'
import { finalize, reopen, toSign } from './finalize'
import { listReleases, releaseById } from './read'
import { deleteRelease, findReleases, highestVersion, locked } from './repository'
import { describeVersions, returnVersionsFor } from './return-versions.repository'
import { addSignature } from './signing/sign'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'release', id, name })
const fields = [
  'name',
  'version',
  'display_version',
  'type',
  'description',
  'notes',
  'hardware_models',
  'min_installed_version',
  'rollback_version',
  'secure_boot_bundle_id',
  'allow_downgrade_from',
  'may_return_to',
  'hooks',
  'reboot',
] as const

const drafts = (api: Api, endUploads: EndUploads) => {
  route(api, contract.releases, ({ tx, project, query }) => listReleases(tx, project.id, query))
  route(api, contract.nextVersion, async ({ tx, project }) => ({ version: (await highestVersion(tx, project.id)) + 1 }))
  route(api, contract.returnVersions, async ({ tx, project, query }) => {
    const models = query.hardware_models.split(',').map((model) => model.trim())
    const versions = await returnVersionsFor(tx, project.id, models, Number(query.below))
    return { versions, releases: await describeVersions(tx, project.id, versions) }
  })
  route(api, contract.release, ({ tx, params }) => releaseById(tx, params.releaseId))

  route(api, contract.createRelease, async ({ tx, project, body, user, now, audit }) => {
    const made = await releaseById(tx, await createDraft(tx, project.id, body, toAuthor(user), now))
    audit({ target: target(made) })
    return made
  })

  route(api, contract.updateRelease, async ({ tx, params, body, now, audit, checkRevision }) => {
    const row = await locked(tx, params.releaseId)
    const before = await releaseById(tx, row.id)
    checkRevision(before)
    await changeRelease(tx, row, body, now)
    const after = await releaseById(tx, row.id)
    audit({ target: target(after), changes: changesOf(before, after, fields) })
    return after
  })

  route(api, contract.deleteRelease, async ({ tx, deps, params, audit, checkRevision, afterCommit }) => {
    // Locks the uploads before their release, in the same order as the end of an upload.
    const discard = await endUploads(tx, deps, params.releaseId)
    const row = await locked(tx, params.releaseId)
    checkRevision(await releaseById(tx, row.id))
    if (!isEditable(row.state) && row.state !== 'awaiting_signature')
      refuse(409, 'not_a_draft', {
        message: 'A signed release cannot be deleted. Revoke it instead',
        about: { state: row.state },
      })
    await deleteRelease(tx, row.id)
    afterCommit(discard)
    audit({ target: target(row) })
  })
}

const signing = (api: Api) => {
  routeWithPreparation(
    api,
    releaseSigning.finalizeRelease,
    ({ tx, deps, params }) => readStoredBundles(tx, deps, params.releaseId),
    async ({ tx, deps, params, body, now, audit }, bundles) => {
      const row = await locked(tx, params.releaseId)
      await finalize(tx, row, { storage: deps.storage, bundles, validity: body, now })
      audit({ target: target(row) })
      return { release: await releaseById(tx, row.id), to_sign: await toSign(await locked(tx, row.id)) }
    },
  )

  route(api, releaseSigning.reopenRelease, async ({ tx, params, now, audit }) => {
    const row = await locked(tx, params.releaseId)
    await reopen(tx, row, now)
    audit({ target: target(row), changes: [{ field: 'manifest_sha256', before: row.manifestSha256, after: null }] })
    return releaseById(tx, row.id)
  })

  route(api, releaseSigning.releaseToSign, async ({ tx, params }) => {
    const [row] = await findReleases(tx, [params.releaseId])
    return toSign(row ?? notFound())
  })

  route(api, releaseSigning.signRelease, async ({ tx, params, body, user, now, audit }) => {
    const row = await locked(tx, params.releaseId)
    const given = { keyId: body.key_id, signature: body.signature_base64, maker: toAuthor(user), now }
    const fingerprint = await addSignature(tx, row, given)
    audit({ target: target(row), changes: [{ field: 'signatures', before: null, after: fingerprint }] })
    return releaseById(tx, row.id)
  })

  route(api, releaseSigning.releaseManifest, async ({ tx, params, reply }) => {
    const [row] = await findReleases(tx, [params.releaseId])
    const found = row && (await signed(tx, [row])).get(row.id)
    if (!found) return notFound()
    if (found.signatures.length === 0) return refuse(409, 'not_signed', { message: 'No valid key has signed this release' })
    reply.type('application/vnd.dsse.envelope.v1+json')
    return envelopeText(found)
  })
}

const ends = (api: Api, cancelRollouts: CancelRollouts) => {
  route(api, contract.revokeRelease, async ({ tx, params, body, user, now, audit }) => {
    const row = await locked(tx, params.releaseId)
    await transitionRelease(tx, row, 'release.revoked', now, { stateReason: body.reason, byId: user.id })
    await cancelRollouts(tx, [row.id], { reason: `The release was revoked: ${body.reason}`, by: user.name, now })
    audit({ target: target(row), reason: body.reason })
    return releaseById(tx, row.id)
  })

  route(api, contract.archiveRelease, async ({ tx, params, user, now, audit }) => {
    const row = await locked(tx, params.releaseId)
    await transitionRelease(tx, row, 'release.archived', now)
    await cancelRollouts(tx, [row.id], { reason: 'The release was archived', by: user.name, now })
    audit({ target: target(row) })
    return releaseById(tx, row.id)
  })
}

type Callbacks = { cancelRollouts: CancelRollouts; endUploads: EndUploads }

export const releaseRoutes = (api: Api, { cancelRollouts, endUploads }: Callbacks): void => {
  drafts(api, endUploads)
  signing(api)
  ends(api, cancelRollouts)
}
