import { sha256, toBase64 } from '../../../contract/device/bytes'
import { bytesToSign, manifestBytes, payloadType } from '../../../contract/device/manifest'
import type { BodyOf } from '../../../contract/core/endpoint'
import type { ToSign } from '../../../contract/fleet/keys'
import type { finalizeRelease } from '../../../contract/updates/release-signing'
import { releaseMoves } from '../../../machines/release/release.machine'
import type { Tx } from '../../core/database/tx'
import type { ArtifactStorage } from '../../core/deps'
import { afterMove, transitionRelease } from './transitions'
import { type ReleaseRow } from './repository'
import { refuse, refuseField } from '../../core/http/refuse'
import { getProjectSettings, lockProject } from '../../accounts/projects/plan-and-settings.repository'
import { checkBundle } from './bundle-check'
import { checkHookBytes } from './hook-bytes'
import { checkVersion } from './drafts'
import { manifestOf } from './manifest-of'
import { rollbackVersionToSign } from './needed-bundle'
import { assetsOf } from './repository'
import { returnVersionsFor } from './return-versions.repository'
import type { AssetRow } from './assets/repository'
import type { StoredBundles } from './stored-bundles'

const DAY = 86_400_000

type Validity = BodyOf<typeof finalizeRelease>

const expiryOf = ({ expires_at: text, valid_days: days }: Validity, now: Date): Date => {
  if (text !== undefined && days !== undefined) refuseField('valid_days', 'either', 'Give an end or a number of days')
  const expiresAt = text === undefined ? new Date(now.getTime() + (days ?? 365) * DAY) : new Date(text)
  const ahead = expiresAt.getTime() - now.getTime()
  if (!(ahead >= DAY)) refuseField('expires_at', 'too_soon', 'The manifest must be valid for at least 24 hours')
  if (ahead > 730 * DAY) refuseField('expires_at', 'too_late', 'The manifest can be valid for at most 2 years')
  return expiresAt
}

const checkAssets = (files: readonly AssetRow[]) => {
  if (files.length === 0) refuseField('assets', 'required', 'Add at least one file')
  if (files.length > 64) refuseField('assets', 'too_many', 'A release can have at most 64 files')
  const open = files.find(({ state }) => state !== 'ready')
  if (open) refuseField('assets', 'not_ready', `${open.name} is not uploaded yet`)
}

type Given = { storage: ArtifactStorage; bundles: StoredBundles; validity: Validity; now: Date }

/** Repeats all checks under the project's lock, and fixes the bytes to be signed. */
export const finalize = async (tx: Tx, row: ReleaseRow, { storage, bundles, validity, now }: Given) => {
  afterMove(row.state, 'release.finalized')
  const expiresAt = expiryOf(validity, now)
  // Two releases of one model cannot both pass the version check.
  await lockProject(tx, row.projectId)
  await checkVersion(tx, row, row.id)
  const files = await assetsOf(tx, [row.id])
  checkAssets(files)
  await checkHookBytes(storage, files)
  const warnings = await checkBundle(tx, bundles, row, files, (await getProjectSettings(tx, row.projectId)).hardware_models)
  // If no return list was given, devices may go back to what they run now.
  const mayReturnTo =
    row.mayReturnTo ?? (await returnVersionsFor(tx, row.projectId, row.hardwareModels, row.version)).toSorted((a, b) => a - b)
  const rollbackVersion = await rollbackVersionToSign(tx, row)
  const payload = manifestBytes(manifestOf({ ...row, mayReturnTo, rollbackVersion }, files, { now, expiresAt }))
  await transitionRelease(tx, row, 'release.finalized', now, {
    payload: toBase64(payload),
    manifestSha256: await sha256(payload),
    manifestAt: now,
    expiresAt,
    mayReturnTo,
    rollbackVersion,
    returnListFilled: row.mayReturnTo === null,
    stateReason: null,
    warnings,
  })
}

/** Discards an unsigned manifest: the release is a draft again. */
export const reopen = async (tx: Tx, row: ReleaseRow, now: Date): Promise<void> => {
  const { state } = row
  if (state === 'draft') refuse(409, 'conflict', { message: 'The release is already a draft', about: { state } })
  if (!releaseMoves.canMove(state, 'release.reopened'))
    refuse(409, 'conflict', {
      message: 'Only an unsigned manifest can be discarded. Create a new release',
      about: { state },
    })
  const nothing = { payload: null, manifestSha256: null, manifestAt: null, expiresAt: null, stateReason: null, warnings: [] }
  const list = { mayReturnTo: row.returnListFilled ? null : row.mayReturnTo, returnListFilled: false }
  // A bundle gives it again when the manifest is built.
  const rollbackVersion = row.secureBootBundleId === null ? row.rollbackVersion : null
  await transitionRelease(tx, row, 'release.reopened', now, { ...nothing, ...list, rollbackVersion })
}

/** The bytes that a page or a command signs; 409 if the release awaits no signature. */
export const toSign = async ({ payload, manifestSha256, state }: ReleaseRow): Promise<ToSign> => {
  if (payload === null || manifestSha256 === null || !releaseMoves.canMove(state, 'signature.verified'))
    return refuse(409, 'conflict', { about: { state } })
  const bytes = bytesToSign(Buffer.from(payload, 'base64'))
  return {
    manifest_sha256: manifestSha256,
    payload_type: payloadType,
    payload_base64: payload,
    to_sign_base64: toBase64(bytes),
    pae_sha256: await sha256(bytes),
    command: `printf %s '${payload}' | base64 -d | node teasel.mjs keys sign --key release.key.pem --manifest -`,
  }
}
