import { artifactNameForm } from '../../../contract/ddi/api'
import { describeMisfit, listWarnings } from '../../../contract/ddi/bundle'
import { clientOf, type HardwareModel } from '../../../contract/fleet/hardware-models'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import type { AssetRow } from './assets/repository'
import { findDisplayVersionOfModels, type ReleaseRow } from './repository'
import { findStoredBundle, type StoredBundles } from './stored-bundles'

const mostDeltas = 16

/** The chunks that SWUpdate's delta handler reads ranges of. */
const checkDeltas = ({ hardwareModels }: ReleaseRow, files: readonly AssetRow[], models: readonly HardwareModel[]) => {
  const deltas = files.filter(({ kind }) => kind === 'delta')
  if (deltas.length === 0) return
  const wrong = deltas.find(({ name }) => !name.endsWith('.zck') || !artifactNameForm.test(name))
  if (wrong) refuseField('assets', 'name', `${wrong.name}: a delta of SWUpdate is a .zck file`)
  if (deltas.length > mostDeltas) refuseField('assets', 'too_many', `A bundle can have at most ${mostDeltas} deltas`)
  const other = hardwareModels.find((id) => clientOf(models, id).kind !== 'swupdate')
  if (other !== undefined) refuseField('assets', 'misfit', `${other} does not run SWUpdate, which alone reads .zck files`)
}

/**
 * The rules of a release that hawkBit clients install: one bundle that fits every model, and a display version by which its
 * devices confirm it. Returns warnings.
 */
export const checkBundle = async (
  tx: Tx,
  bundles: StoredBundles,
  row: ReleaseRow,
  files: readonly AssetRow[],
  models: readonly HardwareModel[],
): Promise<string[]> => {
  if (row.type !== 'bundle') return []
  const { displayVersion, hardwareModels, projectId } = row
  const [file, ...others] = files.filter(({ kind }) => kind === 'bundle')
  if (!file || others.length > 0) return refuseField('assets', 'one_bundle', 'A bundle release needs exactly one bundle')
  if (!artifactNameForm.test(file.name))
    refuseField(
      'assets',
      'name',
      `${file.name}: hawkBit clients take names of letters, digits, dots, dashes, plus and underscores`,
    )
  if (displayVersion === null)
    return refuseField('display_version', 'required', 'Enter a display version: devices confirm a bundle by reporting it')
  checkDeltas(row, files, models)
  const bundle = findStoredBundle(bundles, file)
  const misfits = hardwareModels.flatMap((id) => describeMisfit({ id, kind: clientOf(models, id).kind }, bundle) ?? [])
  if (misfits.length > 0) refuseField('assets', 'misfit', misfits.join('. '))
  // SWUpdate ignores a download whose name has another suffix.
  if (bundle?.kind === 'swupdate' && !file.name.endsWith('.swu'))
    refuseField('assets', 'name', `${file.name}: SWUpdate installs only files whose name ends in .swu`)
  if (bundle && bundle.version !== null && bundle.version !== displayVersion)
    refuseField(
      'display_version',
      'mismatch',
      `${file.name} contains version ${bundle.version}: devices would report that, and confirm nothing`,
    )
  const same = await findDisplayVersionOfModels(tx, { projectId, hardwareModels, displayVersion, except: row.id })
  if (same)
    refuseField(
      'display_version',
      'taken',
      `${same.name} (version number ${same.version}) has this display version for one of the models`,
    )
  return listWarnings(file.name, bundle)
}
