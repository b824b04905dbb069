import * as contract from '../../../contract/updates/secure-boot/bundles'
import { previewBundleRevocation } from '../../../contract/updates/secure-boot/revocation'
import * as artifacts from '../../../contract/updates/secure-boot/artifacts'
import { maxArtifacts } from '../../../contract/updates/secure-boot/artifacts'
import { bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import { newRow } from '../../core/database/row'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { toAuthor } from '../../core/http/author'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { countArtifacts, deleteArtifact, findArtifactOfBundle, insertArtifact } from './artifacts.repository'
import { countApplied } from './applied.repository'
import { deviceSecureBootRoutes } from './device-routes'
import { changeBundle, createBundleDraft, startChecks } from './drafts'
import { fusePlanRoutes } from './plan-routes'
import { readBundle, readBundles } from './read'
import { type BundleRow, deleteBundle, getLockedBundle, isNamedByManifest, listReleasesOfBundles } from './repository'
import { artifactToJson } from './to-json'
import type { CancelRollouts, EndUploads, ListOpenRollouts } from './types'
import { requireEditable, transitionBundle } from './transitions'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'artifact_bundle', id, name })
const fields = [
  'name',
  'description',
  'version',
  'hardware_models',
  'rollback_version',
  'keys',
  'key_hash',
  'fuse_config',
] as const

const requireUnused = async (tx: Tx, { id, projectId, state }: BundleRow) => {
  if (!bundleMoves.hasTag(state, 'editable') && state !== 'archived')
    refuse(409, 'not_a_draft', {
      message: state === 'revoked' ? 'A revoked bundle is kept as a record' : 'Devices have this bundle. Revoke it instead',
      about: { state },
    })
  const [named] = await listReleasesOfBundles(tx, [id])
  if (named) refuse(409, 'named_by_release', { message: `The release ${named.name} v${named.version} names this bundle` })
  const applied = (await countApplied(tx, projectId, [id])).get(id)
  if (applied) refuse(409, 'in_use', { message: 'Devices report this bundle', about: applied })
}

const drafts = (api: Api, { endUploadsOfBundle }: Callbacks) => {
  route(api, contract.bundles, ({ tx, project, query }) => readBundles(tx, project.id, query))
  route(api, contract.bundle, ({ tx, params }) => readBundle(tx, params.bundleId))

  route(api, contract.createBundle, async ({ tx, project, body, user, now, audit }) => {
    const made = await readBundle(tx, await createBundleDraft(tx, project, body, toAuthor(user), now))
    audit({ target: target(made) })
    return made
  })

  route(api, contract.updateBundle, async ({ tx, project, params, body, now, audit, checkRevision }) => {
    const row = await getLockedBundle(tx, params.bundleId)
    const before = await readBundle(tx, row.id)
    checkRevision(before)
    await changeBundle(tx, project, row, body, now)
    const after = await readBundle(tx, row.id)
    audit({ target: target(after), changes: changesOf(before, after, fields) })
    return after
  })

  route(api, contract.deleteBundle, async ({ tx, deps, params, audit, checkRevision, afterCommit }) => {
    // Locks the uploads before their bundle, in the same order as the end of an upload.
    const discard = await endUploadsOfBundle(tx, deps, params.bundleId)
    const row = await getLockedBundle(tx, params.bundleId)
    checkRevision(row)
    await requireUnused(tx, row)
    await deleteBundle(tx, row.id)
    afterCommit(discard)
    audit({ target: target(row) })
  })
}

const files = (api: Api, { endUploadsOfArtifact }: Callbacks) => {
  route(api, artifacts.createArtifact, async ({ tx, params, body, now, audit }) => {
    const bundle = await getLockedBundle(tx, params.bundleId)
    await requireEditable(tx, bundle)
    if ((await countArtifacts(tx, bundle.id)) >= maxArtifacts)
      refuseField('file_name', 'too_many', `A bundle can have at most ${maxArtifacts} files`)
    const row = await insertArtifact(tx, {
      ...newRow(now),
      projectId: bundle.projectId,
      bundleId: bundle.id,
      role: body.role,
      fileName: body.file_name,
      size: body.size,
      sha256: body.sha256 ?? null,
      loadAddress: body.load_address ?? null,
      state: 'expected',
    })
    const made = row ?? notFound()
    await transitionBundle(tx, bundle, 'artifact.added', now, { stateReason: null })
    audit({ target: { kind: 'bundle_artifact', id: made.id, name: made.fileName } })
    return artifactToJson(made)
  })

  route(api, artifacts.deleteArtifact, async ({ tx, deps, params, now, audit, afterCommit }) => {
    const discard = await endUploadsOfArtifact(tx, deps, params.artifactId)
    const bundle = await getLockedBundle(tx, params.bundleId)
    const artifact = (await findArtifactOfBundle(tx, bundle.id, params.artifactId)) ?? notFound()
    await requireEditable(tx, bundle)
    await deleteArtifact(tx, artifact.id)
    await transitionBundle(tx, bundle, 'artifact.removed', now, { stateReason: null })
    afterCommit(discard)
    audit({ target: { kind: 'bundle_artifact', id: artifact.id, name: artifact.fileName } })
  })
}

/** The releases that name a bundle and could still be offered. */
const releasesToStop = async (tx: Tx, bundleId: string) =>
  (await listReleasesOfBundles(tx, [bundleId])).filter(({ state }) => state !== 'revoked' && state !== 'archived')

const revocation = (api: Api, { cancelRollouts, listOpenRollouts }: Callbacks) => {
  route(api, previewBundleRevocation, async ({ tx, params }) => {
    const releases = await releasesToStop(tx, params.bundleId)
    const rollouts = await listOpenRollouts(
      tx,
      releases.map(({ id }) => id),
    )
    return {
      releases: releases.map(({ id, name, version, displayVersion, state }) => ({
        id,
        name,
        version,
        display_version: displayVersion,
        state,
      })),
      rollouts: rollouts.map(({ releaseId, ...rollout }) => ({ ...rollout, release_id: releaseId })),
    }
  })

  route(api, contract.revokeBundle, async ({ tx, params, body, user, now, audit }) => {
    const row = await getLockedBundle(tx, params.bundleId)
    await transitionBundle(tx, row, 'bundle.revoked', now, { stateReason: body.reason })
    const releases = await listReleasesOfBundles(tx, [row.id])
    await cancelRollouts(
      tx,
      releases.map(({ id }) => id),
      { reason: `The secure boot bundle ${row.name} was revoked: ${body.reason}`, by: user.name, now },
    )
    audit({ target: target(row), reason: body.reason })
    return readBundle(tx, row.id)
  })
}

const steps = (api: Api) => {
  route(api, contract.checkBundle, async ({ tx, params, now, audit }) => {
    const row = await getLockedBundle(tx, params.bundleId)
    await startChecks(tx, row, await countArtifacts(tx, row.id), now)
    audit({ target: target(row) })
    return readBundle(tx, row.id)
  })

  route(api, contract.archiveBundle, async ({ tx, params, now, audit }) => {
    const row = await getLockedBundle(tx, params.bundleId)
    // It would come back as a draft that can neither change nor be checked again below a newer version.
    if (await isNamedByManifest(tx, row.id))
      refuse(409, 'named_by_release', { message: 'The manifest of a release is built for this bundle. Revoke it instead' })
    await transitionBundle(tx, row, 'bundle.archived', now, { stateReason: null })
    audit({ target: target(row) })
    return readBundle(tx, row.id)
  })

  route(api, contract.restoreBundle, async ({ tx, params, now, audit }) => {
    const row = await getLockedBundle(tx, params.bundleId)
    await transitionBundle(tx, row, 'bundle.restored', now, { stateReason: null })
    audit({ target: target(row) })
    return readBundle(tx, row.id)
  })
}

type Callbacks = {
  endUploadsOfBundle: EndUploads
  endUploadsOfArtifact: EndUploads
  cancelRollouts: CancelRollouts
  listOpenRollouts: ListOpenRollouts
}

export const secureBootRoutes = (api: Api, callbacks: Callbacks): void => {
  drafts(api, callbacks)
  files(api, callbacks)
  revocation(api, callbacks)
  steps(api)
  deviceSecureBootRoutes(api)
  fusePlanRoutes(api)
}
