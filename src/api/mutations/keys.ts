import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../contract/endpoint'
import { createSigningKey, retireSigningKey, revokeSigningKey } from '../../../contract/keys'
import type { Api } from '../client'
import { type Keyed, keyOf } from './keyed'

export const createSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createSigningKey>>) =>
      api(createSigningKey, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_key, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['signing-keys', projectId] }),
  })

export const retireSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (signingKeyId: string) => api(retireSigningKey, { signingKeyId }),
    onSuccess: (_key, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['signing-keys', projectId] }),
  })

export const revokeSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ signingKeyId, reason }: { signingKeyId: string; reason: string }) =>
      api(revokeSigningKey, { signingKeyId }, { body: { reason } }),
    onSuccess: (_key, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['signing-keys', projectId] }),
  })
