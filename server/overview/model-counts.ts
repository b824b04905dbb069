import type { HardwareModel } from '../../contract/fleet/hardware-models'
import type { ModelCount } from '../../contract/fleet/model-counts'
import type { Tx } from '../core/database/tx'
import { countValues } from '../fleet/counts/repository'

const mostModels = 1000

/** The models that the project lists and those that its devices report, of the most devices first. */
export const readModelCounts = async (tx: Tx, projectId: string, listed: readonly HardwareModel[]): Promise<ModelCount[]> => {
  const counts = await countValues(tx, projectId, 'model')
  const names = new Map(listed.map(({ id, name }) => [id, name]))
  return [...new Set([...names.keys(), ...counts.keys()])]
    .map((id) => ({ id, name: names.get(id) ?? null, devices: counts.get(id) ?? 0 }))
    .toSorted((one, other) => other.devices - one.devices || (one.id < other.id ? -1 : 1))
    .slice(0, mostModels)
}
