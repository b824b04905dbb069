import { mutationOptions } from '@tanstack/react-query'
import { deleteSession } from '../../../../contract/accounts/open-sessions'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { updateSelf } from '../../../../contract/accounts/users'
import type { Api } from '../../client'

export const updateSelfMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (body: BodyOf<typeof updateSelf>) => api(updateSelf, {}, { body }),
    onSuccess: (user, _input, _kept, { client }) => client.setQueryData(['self'], user),
  })

export const endSessionMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (sessionId: string) => api(deleteSession, { sessionId }),
    onSuccess: (_done, _input, _kept, { client }) =>
      Promise.all(['sessions', 'account-events'].map((key) => client.invalidateQueries({ queryKey: [key] }))),
  })
