import { deviceAsset } from '../../../contract/device/endpoints'
import { Manifest } from '../../../contract/device/manifest'
import { pathOf } from '../../../contract/core/endpoint'
import { checkFields } from '../../../contract/core/field-errors'
import type { ReleaseRow } from './repository'
import { refuse, refuseField } from '../../core/http/refuse'
import { formatTimestamp } from '../../core/timestamps'
import type { AssetRow } from './assets/repository'

type Hook = keyof ReleaseRow['hooks']

const hookHash = (hooks: ReleaseRow['hooks'], name: Hook, files: readonly AssetRow[]) => {
  const id = hooks[name]
  if (id === null) return null
  const file = files.find((asset) => asset.id === id && asset.kind === 'hook')
  return file?.sha256 ?? refuseField(`hooks.${name}`, 'not_a_hook', 'Choose a file of kind hook of this release')
}

const fileOf = (asset: AssetRow) => ({
  name: asset.name,
  kind: asset.kind,
  size: asset.size,
  sha256: asset.sha256 ?? '',
  install_location: asset.installLocation,
  mode: asset.mode,
  path: pathOf(deviceAsset.path, { assetId: asset.id }),
})

const order = (a: AssetRow, b: AssetRow) => (a.id < b.id ? -1 : 1)

/** The manifest to be signed, validated by the same struct that devices use; 422 with the invalid fields. */
export const manifestOf = (release: ReleaseRow, files: readonly AssetRow[], times: { now: Date; expiresAt: Date }): Manifest => {
  const { hooks } = release
  const value = {
    schema: 1,
    id: release.id,
    project_id: release.projectId,
    name: release.name,
    version: release.version,
    display_version: release.displayVersion,
    type: release.type,
    hardware_models: release.hardwareModels,
    min_installed_version: release.minInstalledVersion,
    rollback_version: release.rollbackVersion,
    created_at: formatTimestamp(times.now),
    expires_at: formatTimestamp(times.expiresAt),
    reboot: release.reboot,
    hooks: {
      pre_install: hookHash(hooks, 'pre_install', files),
      post_install: hookHash(hooks, 'post_install', files),
      post_reboot: hookHash(hooks, 'post_reboot', files),
    },
    files: files.toSorted(order).map(fileOf),
    allow_downgrade_from: release.allowDowngradeFrom,
    may_return_to: release.mayReturnTo ?? [],
  }
  const [errors, manifest] = checkFields(value, Manifest)
  if (!errors) return manifest
  // An error across fields has no path: it concerns the files.
  const details = errors.map((found) => (found.field === '' ? { ...found, field: 'assets' } : found))
  return refuse(422, 'invalid', { details })
}
