import { mutationOptions } from '@tanstack/react-query'
import type { BodyOf } from '../../../../contract/core/endpoint'
import { createCheckout } from '../../../../contract/accounts/subscriptions'
import type { Api } from '../../client'

export const createCheckoutMutation = (api: Api) =>
  mutationOptions({ mutationFn: (body: NonNullable<BodyOf<typeof createCheckout>>) => api(createCheckout, {}, { body }) })
