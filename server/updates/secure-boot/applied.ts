import { bundleMoves } from '../../../machines/secure-boot/secure-boot.machine'
import { recordSystemEvent } from '../../accounts/audit/system'
import type { Tx } from '../../core/database/tx'
import type { DeviceRow } from '../../fleet/devices/repository'
import { findBundleOfProject, lockBundle } from './repository'
import { transitionBundle } from './transitions'

type Reporter = Pick<DeviceRow, 'projectId' | 'hardwareModel' | 'lifecycle' | 'name'>

/** A device reports that it boots by this bundle: a ready one is in use from now on. */
export const noteAppliedBundle = async (tx: Tx, device: Reporter, bundleId: string, now: Date): Promise<void> => {
  const { projectId, hardwareModel, lifecycle, name } = device
  const found = await findBundleOfProject(tx, projectId, bundleId)
  if (lifecycle !== 'active' || !found?.hardwareModels.includes(hardwareModel) || found.state === 'in_use') return
  const bundle = await lockBundle(tx, found.id)
  if (!bundle || bundle.state === 'in_use' || !bundleMoves.canMove(bundle.state, 'bundle.applied')) return
  await transitionBundle(tx, bundle, 'bundle.applied', now, { stateReason: `Reported by ${name}`, appliedAt: now })
  const target = { kind: 'artifact_bundle', id: bundle.id, name: bundle.name }
  await recordSystemEvent(
    tx,
    { projectId, action: 'bundle.apply', by: 'Device report', target, reason: `Reported by ${name}` },
    now,
  )
}
