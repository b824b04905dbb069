import { mutationOptions } from '@tanstack/react-query'
import { deleteAccount } from '../../../../contract/accounts/account-deletion'
import type { BodyOf } from '../../../../contract/core/endpoint'
import type { Api } from '../../client'

export const deleteAccountMutation = (api: Api) =>
  mutationOptions({ mutationFn: (body: BodyOf<typeof deleteAccount>) => api(deleteAccount, {}, { body }) })
