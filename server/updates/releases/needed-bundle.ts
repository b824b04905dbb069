import { bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import type { Tx } from '../../core/database/tx'
import { refuse, refuseField } from '../../core/http/refuse'
import { type BundleRow, findBundleOfProject, listRevokedBundles, lockBundle } from '../secure-boot/repository'
import type { ReleaseRow } from './repository'

type Naming = Pick<ReleaseRow, 'projectId' | 'secureBootBundleId' | 'hardwareModels'>

const field = 'secure_boot_bundle_id'

/** The secure boot bundle that a release names, if it names one; 422 for one that does not fit. */
export const findNeededBundle = async (
  tx: Tx,
  { projectId, secureBootBundleId, hardwareModels }: Naming,
): Promise<BundleRow | undefined> => {
  if (secureBootBundleId === null) return undefined
  const bundle = await findBundleOfProject(tx, projectId, secureBootBundleId)
  if (!bundle) return refuseField(field, 'not_listed', 'The project has no such bundle')
  const other = hardwareModels.find((model) => !bundle.hardwareModels.includes(model))
  if (other !== undefined) refuseField(field, 'other_model', `${bundle.name} is not for the model ${other}`)
  return bundle
}

/** Refuses a release whose bundle was revoked: devices would be sent software whose boot chain is not trusted any more. */
export const requireBundleNotRevoked = async (tx: Tx, { secureBootBundleId }: Pick<ReleaseRow, 'secureBootBundleId'>) => {
  const [revoked] = secureBootBundleId === null ? [] : await listRevokedBundles(tx, [secureBootBundleId])
  if (revoked)
    refuse(409, 'bundle_revoked', { message: `The secure boot bundle ${revoked.name} that the release needs was revoked` })
}

/**
 * The rollback version of the manifest: that of the bundle, which cannot change from then on. What is signed, what the offer
 * compares and what the device verifies is one number.
 */
export const rollbackVersionToSign = async (tx: Tx, row: ReleaseRow): Promise<number | null> => {
  const named = await findNeededBundle(tx, row)
  const bundle = named && (await lockBundle(tx, named.id))
  if (!bundle) return row.rollbackVersion
  const { name, version, state, rollbackVersion } = bundle
  if (!bundleMoves.hasTag(state, 'usable'))
    refuseField(field, 'not_ready', `${name}, version ${version}, is ${state.replace('_', ' ')}: check it first`)
  if (row.rollbackVersion !== null && row.rollbackVersion !== rollbackVersion)
    refuseField('rollback_version', 'other_than_bundle', `Leave it empty: ${name} has rollback version ${rollbackVersion}`)
  return rollbackVersion
}
