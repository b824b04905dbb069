import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import {
  createSavedView,
  deleteSavedView,
  type NewSavedView,
  type SavedView,
  updateSavedView,
} from '../../../../contract/fleet/saved-views'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

const replace = (client: QueryClient, projectId: string, change: (views: SavedView[]) => SavedView[]) => {
  client.setQueryData<SavedView[]>(['saved-views', projectId], (views) => views && change(views))
  return client.invalidateQueries({ queryKey: ['saved-views', projectId] })
}

export const createSavedViewMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<NewSavedView>) => api(createSavedView, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (made, _body, _kept, { client }) => replace(client, projectId, (views) => [...views, made]),
  })

export const updateSavedViewMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ view, body }: { view: SavedView; body: BodyOf<typeof updateSavedView> }) =>
      api(updateSavedView, { savedViewId: view.id }, { body, ifMatch: view.revision }),
    onSettled: (_done, error, { view }, _kept, { client }) => rereadStale(client, error, ['saved-views', view.project_id]),
    onSuccess: (changed, _input, _kept, { client }) =>
      replace(client, changed.project_id, (views) => views.map((one) => (one.id === changed.id ? changed : one))),
  })

export const deleteSavedViewMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (view: SavedView) => api(deleteSavedView, { savedViewId: view.id }),
    onSuccess: (_done, view, _kept, { client }) =>
      replace(client, view.project_id, (views) => views.filter(({ id }) => id !== view.id)),
  })
