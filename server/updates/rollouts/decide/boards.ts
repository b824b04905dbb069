import type { HardwareModel } from '../../../../contract/fleet/hardware-models'
import { getProjectSettings } from '../../../accounts/projects/plan-and-settings.repository'
import type { Tx } from '../../../core/database/tx'
import type { DeviceRow } from '../../../fleet/devices/repository'

/** The hardware models whose boards are compared: read only for hawkBit clients, which report them. */
export const findModelsOf = async (
  tx: Tx,
  projectId: string,
  rows: readonly Pick<DeviceRow, 'protocol'>[],
): Promise<readonly HardwareModel[]> =>
  rows.some(({ protocol }) => protocol === 'ddi') ? (await getProjectSettings(tx, projectId)).hardware_models : []
