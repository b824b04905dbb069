import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import {
  createOrganization,
  deleteOrganization,
  leaveOrganization,
  type Organization,
  updateOrganization,
} from '../../../../contract/accounts/organization'
import type { Api } from '../../client'
import { failureOf } from '../../failure'
import { type Keyed, keyOf } from '../keyed'
import { rereadStale } from '../renewed'

export const createOrganizationMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createOrganization>>) =>
      api(createOrganization, {}, { body: input.body, ...keyOf(input) }),
    onSuccess: (_made, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['organizations'] }),
  })

export const updateOrganizationMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ organization, body }: { organization: Organization; body: BodyOf<typeof updateOrganization> }) =>
      api(updateOrganization, { organizationId: organization.public_id }, { body, ifMatch: organization.revision }),
    onSettled: (_done, error, { organization }, _kept, { client }) =>
      rereadStale(client, error, ['organization', organization.public_id]),
    onSuccess: (organization, _input, _kept, { client }) => {
      client.setQueryData(['organization', organization.public_id], organization)
      return client.invalidateQueries({ queryKey: ['organizations'] })
    },
  })

// `useLeaveOrganization` clears the cache after the navigation.
export const deleteOrganizationMutation = (api: Api) =>
  mutationOptions({
    mutationFn: ({ organization, confirmName }: { organization: Organization; confirmName: string }) =>
      api(
        deleteOrganization,
        { organizationId: organization.public_id },
        { body: { confirm_name: confirmName }, ifMatch: organization.revision },
      ),
    onSettled: (_done, error, { organization }, _kept, { client }) =>
      failureOf(error)?.code === 'has_subscription'
        ? client.invalidateQueries({ queryKey: ['subscriptions'] })
        : rereadStale(client, error, ['organization', organization.public_id]),
  })

export const leaveOrganizationMutation = (api: Api) =>
  mutationOptions({ mutationFn: (organizationId: string) => api(leaveOrganization, { organizationId }) })
