import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../contract/endpoint'
import { createOrganization } from '../../../contract/organizations'
import type { Api } from '../client'
import { type Keyed, keyOf } from './keyed'

export const createOrganizationMutation = (api: Api) =>
  mutationOptions({
    mutationFn: (input: Keyed<BodyOf<typeof createOrganization>>) =>
      api(createOrganization, {}, { body: input.body, ...keyOf(input) }),
    onSuccess: (_made, _input, _kept, { client }) => client.invalidateQueries({ queryKey: ['organizations'] }),
  })
