import { mutationOptions } from '@tanstack/react-query'
import { createAccessToken, revokeAccessToken, rotateAccessToken } from '../../../../contract/accounts/access-tokens'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { renewed } from '../renewed'

export const createAccessTokenMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createAccessToken>>) =>
      api(createAccessToken, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_token, _input, _kept, { client }) => renewed(client, ['access-tokens', projectId]),
  })

export const rotateAccessTokenMutation = (api: Api, projectId: string, accessTokenId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof rotateAccessToken>>) =>
      api(rotateAccessToken, { accessTokenId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_token, _input, _kept, { client }) => renewed(client, ['access-tokens', projectId]),
  })

export const revokeAccessTokenMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (accessTokenId: string) => api(revokeAccessToken, { accessTokenId }),
    onSuccess: (_done, _input, _kept, { client }) => renewed(client, ['access-tokens', projectId]),
  })
