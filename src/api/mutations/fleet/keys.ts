import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { publishKeyList } from '../../../../contract/fleet/key-lists'
import {
  createSigningKey,
  keepSigningKey,
  replaceSigningKey,
  retireSigningKey,
  revokeSigningKey,
} from '../../../../contract/fleet/keys'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { renewed } from '../renewed'

export const createSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createSigningKey>>) =>
      api(createSigningKey, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_key, _input, _kept, { client }) => renewed(client, ['signing-keys', projectId]),
  })

export const retireSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (signingKeyId: string) => api(retireSigningKey, { signingKeyId }),
    onSuccess: (_key, _input, _kept, { client }) => renewed(client, ['signing-keys', projectId]),
  })

export const revokeSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ signingKeyId, reason }: { signingKeyId: string; reason: string }) =>
      api(revokeSigningKey, { signingKeyId }, { body: { reason } }),
    onSuccess: (_key, _input, _kept, { client }) => renewed(client, ['signing-keys', projectId]),
  })

/** Starts the replacement of a key, or ends it with the key kept. */
export const replaceSigningKeyMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: ({ signingKeyId, keep }: { signingKeyId: string; keep?: boolean }) =>
      api(keep ? keepSigningKey : replaceSigningKey, { signingKeyId }),
    onSuccess: (_key, _input, _kept, { client }) => renewed(client, ['signing-keys', projectId]),
  })

export const publishKeyListMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (body: BodyOf<typeof publishKeyList>) => api(publishKeyList, { projectId }, { body }),
    onSettled: (_list, _error, _input, _kept, { client }) => renewed(client, ['signing-keys', projectId]),
  })
