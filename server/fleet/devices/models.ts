import type { ProjectSettings } from '../../../contract/accounts/projects'
import { refuseField } from '../../core/http/refuse'

/** 422 for a hardware model that the project does not list. A project without a list accepts any. */
export const requireKnownModel = ({ hardware_models }: ProjectSettings, model: string): void => {
  if (hardware_models.length > 0 && !hardware_models.some(({ id }) => id === model))
    refuseField('hardware_model', 'not_listed', 'The project has no such hardware model')
}
