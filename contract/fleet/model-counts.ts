import { array, type Infer, integer, nullable, string, type } from 'superstruct'
import { endpoint, inProject, requires } from '../core/endpoint'

const ModelCount = type({
  id: string(),
  /** Null for a model that devices report and the project does not list. */
  name: nullable(string()),
  devices: integer(),
})
export type ModelCount = Infer<typeof ModelCount>

export const modelCounts = endpoint({
  method: 'GET',
  path: '/projects/:projectId/hardware_models',
  summary:
    'List the hardware models that the project lists or its devices report, those of the most devices first, at most 1,000.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: type({ hardware_models: array(ModelCount) }),
})
