import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { createTag, deleteTag, type Tag, updateTag } from '../../../../contract/fleet/tags'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

/** Devices contain their tags' names and colors, saved views and enrollment tokens their names: they are requested again as well. */
const renew = (client: QueryClient, projectId: string) =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['tags', projectId] }),
    client.invalidateQueries({ queryKey: ['devices', projectId] }),
    client.invalidateQueries({ queryKey: ['device'] }),
    client.invalidateQueries({ queryKey: ['saved-views', projectId] }),
    client.invalidateQueries({ queryKey: ['enrollment-tokens', projectId] }),
  ])

export const createTagMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createTag>>) => api(createTag, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_made, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['tags', projectId] }),
  })

export const updateTagMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ tag, body }: { tag: Tag; body: BodyOf<typeof updateTag> }) =>
      api(updateTag, { tagId: tag.id }, { body, ifMatch: tag.revision }),
    onSuccess: (tag, _input, _kept, { client }) => {
      client.setQueryData(['tag', tag.id], tag)
      return renew(client, projectId)
    },
  })

/** `force` also removes it from the devices that have it. */
export const deleteTagMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ tag, force }: { tag: Tag; force: boolean }) =>
      api(deleteTag, { tagId: tag.id }, { query: { force }, ifMatch: tag.revision }),
    onSuccess: (_done, { tag }, _kept, { client }) => {
      client.removeQueries({ queryKey: ['tag', tag.id] })
      return renew(client, projectId)
    },
  })
