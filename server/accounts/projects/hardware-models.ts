import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import { standardClient } from '../../../contract/ddi/model-client'
import { type NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { Tx } from '../../core/database/tx'
import { refuse } from '../../core/http/refuse'

type ModelUse = { model: string; devices: number; releases: number; tokens: number }
/**
 * Counts the devices and releases of these models, and the active enrollment tokens for them; a model without any is left out. Passed
 * in: they belong to higher domains.
 */
export type CountModelUse = (tx: Tx, projectId: string, models: readonly string[], now: Date) => Promise<ModelUse[]>

const withClient = (asked: NewHardwareModel, before: readonly HardwareModel[]): HardwareModel => {
  const known = before.find(({ id }) => id === asked.id)
  const { kind, confirm_by, version_attribute, confirm_within_s, boards } = asked.client ?? known?.client ?? standardClient
  return {
    ...asked,
    client: {
      kind,
      confirm_by: confirm_by ?? standardClient.confirm_by,
      version_attribute: version_attribute ?? standardClient.version_attribute,
      confirm_within_s: confirm_within_s ?? standardClient.confirm_within_s,
      boards: boards ?? standardClient.boards,
    },
  }
}

const count = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`

const describeUse = ({ devices, releases, tokens }: ModelUse) => {
  const [ofDevices, ofReleases] = [count(devices, 'device'), count(releases, 'release')]
  if (tokens === 0) return `${ofDevices} and ${ofReleases}`
  return `${ofDevices}, ${ofReleases} and ${count(tokens, 'enrollment token')}`
}

/** The models after a change of a project; a model that devices, releases or enrollment tokens use cannot be removed. */
export const hardwareModelChange =
  (countUse: CountModelUse) =>
  async (
    tx: Tx,
    projectId: string,
    { hardware_models: before }: ProjectSettings,
    asked: readonly NewHardwareModel[] | undefined,
    now: Date,
  ): Promise<HardwareModel[]> => {
    if (asked === undefined) return before
    const removed = before.filter(({ id }) => !asked.some((model) => model.id === id))
    const used =
      removed.length === 0
        ? []
        : await countUse(
            tx,
            projectId,
            removed.map(({ id }) => id),
            now,
          )
    const [first] = used
    if (first) refuse(409, 'model_in_use', { message: `${first.model} is used by ${describeUse(first)}` })
    return asked.map((model) => withClient(model, before))
  }
