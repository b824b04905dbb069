import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { requestEmailChange, withdrawEmailChange } from '../../../../contract/accounts/email-change'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'

const changed = (client: QueryClient) =>
  Promise.all([client.invalidateQueries({ queryKey: ['self'] }), client.invalidateQueries({ queryKey: ['account-events'] })])

export const requestEmailChangeMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof requestEmailChange>>) =>
      api(requestEmailChange, {}, { body: input.body, ...keyOf(input) }),
    onSuccess: (_done, _input, _kept, { client }) => changed(client),
  })

export const withdrawEmailChangeMutation = (api: Api) =>
  mutationOptions({
    mutationFn: () => api(withdrawEmailChange),
    // Also after a refusal: it was confirmed or withdrawn elsewhere.
    onSettled: (_done, _error, _input, _kept, { client }) => changed(client),
  })
