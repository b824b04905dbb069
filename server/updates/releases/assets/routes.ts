import type { BodyOf } from '../../../../contract/core/endpoint'
import * as releaseAssets from '../../../../contract/updates/release-assets'
import type { Tx } from '../../../core/database/tx'
import { isEditable, transitionRelease } from '../transitions'
import { lockRelease, type ReleaseRow, updateReleases } from '../repository'
import type { Api } from '../../../core/http/api'
import { newRow } from '../../../core/database/row'
import { changesOf } from '../../../core/http/audit'
import { notFound, refuse, refuseField } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { formatTimestamp } from '../../../core/timestamps'
import type { EndUploads, HaltRollouts } from '../callbacks'
import { isLink, linkTo } from './link'
import {
  type AssetRow,
  countAssets,
  countAssetsInState,
  countDownload,
  deleteAsset,
  findAsset,
  findAssetOfRelease,
  insertAsset,
  updateAsset,
} from './repository'
import { assetBytes, beginsDownload } from './send'
import { assetToJson } from './to-json'

const target = ({ id, name }: { id: string; name: string }) => ({ kind: 'asset', id, name })

const lockDraft = async (tx: Tx, releaseId: string): Promise<ReleaseRow> => {
  const release = (await lockRelease(tx, releaseId)) ?? notFound()
  if (!isEditable(release.state))
    refuse(409, 'not_a_draft', { message: 'Files can be changed in a draft only', about: { state: release.state } })
  return release
}

const assetOf = async (tx: Tx, { releaseId, assetId }: { releaseId: string; assetId: string }): Promise<AssetRow> =>
  (await findAssetOfRelease(tx, releaseId, assetId)) ?? notFound()

/** A payload without a mode gets one by its first bytes, when its upload is complete. */
const standard: Partial<Record<releaseAssets.Asset['kind'], string>> = { archive: '0644', hook: '0755' }

const addAsset = async (tx: Tx, release: ReleaseRow, body: NonNullable<BodyOf<typeof releaseAssets.createAsset>>, now: Date) => {
  if ((await countAssets(tx, release.id)) >= 64) refuseField('name', 'too_many', 'A release can have at most 64 files')
  const row = {
    ...newRow(now),
    projectId: release.projectId,
    releaseId: release.id,
    name: body.name,
    kind: body.kind,
    size: body.size,
    sha256: body.sha256 ?? null,
    contentType: 'application/octet-stream',
    installLocation: body.install_location ?? null,
    mode: body.mode ?? standard[body.kind] ?? null,
    state: 'expected',
  } as const
  const made = await insertAsset(tx, row)
  await updateReleases(tx, [release.id], {}, now)
  return made ?? notFound()
}

const withoutHook = ({ hooks }: ReleaseRow, assetId: string): ReleaseRow['hooks'] => ({
  pre_install: hooks.pre_install === assetId ? null : hooks.pre_install,
  post_install: hooks.post_install === assetId ? null : hooks.post_install,
  post_reboot: hooks.post_reboot === assetId ? null : hooks.post_reboot,
})

const removeAsset = async (tx: Tx, release: ReleaseRow, asset: AssetRow, now: Date) => {
  await deleteAsset(tx, asset.id)
  const hooks = withoutHook(release, asset.id)
  await updateReleases(tx, [release.id], { hooks }, now)
  const waited = release.state === 'uploading' ? (['uploading', 'verifying'] as const) : (['rejected'] as const)
  const left = await countAssetsInState(tx, release.id, waited)
  // The last file that kept the release uploading or rejected was removed.
  const waits = release.state === 'uploading' || release.state === 'rejected'
  if (waits && left === 0) await transitionRelease(tx, release, 'asset.removed', now, { stateReason: null })
}

type Change = NonNullable<BodyOf<typeof releaseAssets.updateAsset>>

const changeAsset = async (tx: Tx, release: ReleaseRow, asset: AssetRow, body: Change, now: Date) => {
  const kind = body.kind ?? asset.kind
  const set = {
    kind,
    installLocation: body.install_location === undefined ? asset.installLocation : body.install_location,
    mode: body.mode === undefined ? asset.mode : body.mode,
  }
  await updateAsset(tx, asset.id, set, now)
  await updateReleases(tx, [release.id], kind === 'hook' ? {} : { hooks: withoutHook(release, asset.id) }, now)
}

type Callbacks = { endUploads: EndUploads; haltRollouts: HaltRollouts }

export const assetRoutes = (api: Api, { endUploads, haltRollouts }: Callbacks): void => {
  route(api, releaseAssets.createAsset, async ({ tx, params, body, now, audit }) => {
    const made = await addAsset(tx, await lockDraft(tx, params.releaseId), body, now)
    audit({ target: target(made) })
    return assetToJson(made)
  })

  route(api, releaseAssets.updateAsset, async ({ tx, params, body, now, audit, checkRevision }) => {
    const release = await lockDraft(tx, params.releaseId)
    const before = assetToJson(await assetOf(tx, params))
    checkRevision(before)
    await changeAsset(tx, release, await assetOf(tx, params), body, now)
    const after = assetToJson(await assetOf(tx, params))
    audit({ target: target(after), changes: changesOf(before, after, ['kind', 'install_location', 'mode']) })
    return after
  })

  route(api, releaseAssets.deleteAsset, async ({ tx, deps, params, now, audit, afterCommit }) => {
    // Locks the uploads before their release, in the same order as the end of an upload.
    const discard = await endUploads(tx, deps, params.assetId)
    const release = await lockDraft(tx, params.releaseId)
    const asset = await assetOf(tx, params)
    await removeAsset(tx, release, asset, now)
    afterCommit(discard)
    audit({ target: target(asset) })
  })

  route(api, releaseAssets.assetLink, async ({ tx, deps, params, now, audit }) => {
    const asset = await assetOf(tx, params)
    if (asset.state !== 'ready') refuse(409, 'conflict', { about: { state: asset.state } })
    audit({ target: target(asset) })
    const { path, expiresAt } = await linkTo(tx, asset.id, now)
    return { url: `${deps.config.urls.api}${path}`, expires_at: formatTimestamp(expiresAt) }
  })

  route(api, releaseAssets.downloadAsset, async ({ tx, deps, params, query, now, request, reply }) => {
    if (!(await isLink(tx, params.assetId, query, now))) return notFound()
    const asset = (await findAsset(tx, params.assetId)) ?? notFound()
    const bytes = await assetBytes({ deps: { ...deps, haltRollouts }, request, reply }, asset)
    if (beginsDownload(request, asset)) await countDownload(tx, params.assetId)
    return bytes
  })
}
