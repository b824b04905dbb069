import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import * as contract from '../../../../contract/accounts/account'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { disconnectIdentity } from '../../../../contract/accounts/identities'
import { type ProfileForm, updateProfile } from '../../../../contract/accounts/profile'
import type { Api } from '../../client'
import { profileQuery } from '../../queries/accounts/profile'
import { selfQuery } from '../../queries/accounts/self'
import { type Keyed, keyOf } from '../keyed'

const accountChanged = (client: QueryClient) => client.invalidateQueries({ queryKey: ['account-events'] })

const sessionsChanged = (client: QueryClient) =>
  Promise.all([client.invalidateQueries({ queryKey: ['sessions'] }), accountChanged(client)])

const stepsChanged = async (client: QueryClient) => {
  await Promise.all([client.invalidateQueries({ queryKey: ['self'] }), accountChanged(client)])
}

export const changePasswordMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof contract.changePassword>>) =>
      api(contract.changePassword, {}, { body: input.body, ...keyOf(input) }),
    onSuccess: (_done, _input, _kept, { client }) => sessionsChanged(client),
  })

export const endOtherSessionsMutation = (api: Api) =>
  mutationOptions({
    mutationFn: () => api(contract.endOtherSessions),
    onSuccess: (_done, _input, _kept, { client }) => sessionsChanged(client),
  })

export const beginSecondFactorMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof contract.beginSecondFactor>>) =>
      api(contract.beginSecondFactor, {}, { body: input.body, ...keyOf(input) }),
    // Secrets are not cached.
    gcTime: 0,
  })

export const confirmSecondFactorMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof contract.confirmSecondFactor>>) =>
      api(contract.confirmSecondFactor, {}, { body: input.body, ...keyOf(input) }),
    gcTime: 0,
    onSuccess: (_done, _input, _kept, { client }) => stepsChanged(client),
  })

export const removeSecondFactorMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof contract.removeSecondFactor>>) =>
      api(contract.removeSecondFactor, {}, { body: input.body, ...keyOf(input) }),
    onSuccess: (_done, _input, _kept, { client }) => stepsChanged(client),
  })

export const renewRecoveryCodesMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof contract.renewRecoveryCodes>>) =>
      api(contract.renewRecoveryCodes, {}, { body: input.body, ...keyOf(input) }),
    gcTime: 0,
    onSuccess: (_done, _input, _kept, { client }) => stepsChanged(client),
  })

export const disconnectIdentityMutation = (api: Api, identityId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof disconnectIdentity>>) =>
      api(disconnectIdentity, { identityId }, { body: input.body, ...keyOf(input) }),
    onSuccess: (_done, _input, _kept, { client }) =>
      Promise.all([sessionsChanged(client), client.invalidateQueries({ queryKey: ['self', 'identities'] })]),
  })

/** Null removes the picture. The header shows the result at once. */
export const avatarMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (image: Blob | null) => (image ? api(contract.setAvatar, {}, { body: { image } }) : api(contract.removeAvatar)),
    onSuccess: ({ image_url }, _input, _kept, { client }) =>
      client.setQueryData(selfQuery(api).queryKey, (user) => user && { ...user, image_url }),
  })

export const updateProfileMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (body: ProfileForm) => api(updateProfile, {}, { body }),
    onSuccess: (saved, _input, _kept, { client }) => client.setQueryData(profileQuery(api).queryKey, saved),
  })
