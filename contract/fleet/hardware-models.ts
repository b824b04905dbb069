import { enums, type Infer, string, type } from 'superstruct'
import { ModelClient, standardClient } from '../ddi/model-client'

export const HardwareModel = type({
  id: string(),
  name: string(),
  platform: string(),
  slots: enums(['single', 'ab']),
  client: ModelClient,
})
export type HardwareModel = Infer<typeof HardwareModel>

/** The client of a model; the standard one for a model that the project does not list. */
export const clientOf = (models: readonly HardwareModel[], id: string): ModelClient =>
  models.find((model) => model.id === id)?.client ?? standardClient

/** The board names that fit a model. */
export const boardsOf = (models: readonly HardwareModel[], id: string): readonly string[] => {
  const { boards } = clientOf(models, id)
  return boards.length > 0 ? boards : [id]
}
