import { mutationOptions } from '@tanstack/react-query'
import { createAuthority, createEnrollmentToken, revokeEnrollmentToken } from '../../../../contract/fleet/enrollment-tokens'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'
import { type Keyed, keyOf } from '../keyed'
import { renewed } from '../renewed'

export const createEnrollmentTokenMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createEnrollmentToken>>) =>
      api(createEnrollmentToken, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_token, _input, _kept, { client }) => renewed(client, ['enrollment-tokens', projectId]),
  })

export const createAuthorityMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createAuthority>>) =>
      api(createAuthority, { projectId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_authority, _input, _kept, { client }) => renewed(client, ['enrollment-tokens', projectId]),
  })

export const revokeEnrollmentTokenMutation = (api: Api, projectId: string) =>
  mutationOptions({
    mutationFn: (enrollmentTokenId: string) => api(revokeEnrollmentToken, { enrollmentTokenId }),
    onSuccess: (_done, _input, _kept, { client }) => renewed(client, ['enrollment-tokens', projectId]),
  })
