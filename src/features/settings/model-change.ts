import type { NewHardwareModel } from '../../../contract/fleet/hardware-model-changes'
import type { HardwareModel } from '../../../contract/fleet/hardware-models'
import type { ClientKind } from '../../../contract/ddi/model-client'
import type { Project } from '../../../contract/accounts/projects'
import { formatValue } from '../../system/form/conflict-notice'
import type { Fields } from '../../system/form/edit-conflict'
import { flattenFields, nestFields } from '../../system/form/nested-fields'
import { clientNames } from './model-text'

/** Labels of the fields, for a conflict. */
export const labels: Readonly<Record<string, string>> = {
  name: 'Name',
  platform: 'Platform',
  slots: 'Slots',
  'client.kind': 'Client',
  'client.confirm_by': 'Confirmed by',
  'client.version_attribute': 'Version attribute',
  'client.confirm_within_s': 'Seconds to confirm',
  'client.boards': 'Boards',
}
/** A value of a conflict. */
export const say = (field: string, value: unknown) =>
  field === 'client.kind' && value !== undefined ? clientNames[value as ClientKind] : formatValue(value)

const findModel = ({ settings }: Project, id: string | undefined) => settings.hardware_models.find((model) => model.id === id)

/** A model as the fields of its form; none for a new one. */
export const toFields = ({ client = {} as HardwareModel['client'], ...model }: NewHardwareModel): Fields => ({
  ...model,
  ...flattenFields('client', client),
})
/** The fields of this model of a project; none for a model that is new, or removed. */
export const fieldsOfModel =
  (id: string | undefined) =>
  (project: Project): Fields => {
    const model = findModel(project, id)
    return model ? toFields(model) : {}
  }

/**
 * The models of the project with these fields of one changed, or with a new one: the server refuses an id that is taken. A model
 * that was removed meanwhile returns; the other models stay as they are in the project.
 */
export const withModel = (project: Project, began: HardwareModel | undefined, fields: Fields): NewHardwareModel[] => {
  const { hardware_models: models } = project.settings
  const { client, ...change } = nestFields('client', fields) as Partial<HardwareModel>
  const known = began && findModel(project, began.id)
  const former = known ?? began
  // A new model has all fields.
  const changed = { ...former, ...change, client: { ...former?.client, ...client } } as NewHardwareModel
  return known ? models.map((model) => (model === known ? changed : model)) : [...models, changed]
}

/** The models of the project with one as it was in an earlier state: for Undo. */
export const withFormer = (project: Project, id: string, before: Project): NewHardwareModel[] => {
  const { hardware_models: models } = project.settings
  const former = findModel(before, id)
  if (!former) return models.filter((model) => model.id !== id)
  return models.some((model) => model.id === id) ? models.map((model) => (model.id === id ? former : model)) : [...models, former]
}
