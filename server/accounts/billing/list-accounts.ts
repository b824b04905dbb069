import { allows } from '../../../contract/core/permissions'
import { rolePermissions } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { findUser } from '../users/repository'
import type { BillingAccount } from './billing-account'
import { listJoinedOrganizations } from './repository'

/** `locked`: the organization requires a second factor that this person has not turned on. */
export type BillingAccountView = { space: BillingAccount; manageable: boolean; locked: boolean }

/** The billing accounts that a person sees: their own first, then the organizations by name. */
export const listBillingAccounts = async (tx: Tx, userId: string): Promise<BillingAccountView[]> => {
  const user = await findUser(tx, userId)
  const joined = await listJoinedOrganizations(tx, userId)
  const own: BillingAccountView[] = user
    ? [
        {
          space: { kind: 'user', id: userId, publicId: null, name: user.email, plan: user.pricingPlan },
          manageable: true,
          locked: false,
        },
      ]
    : []
  return own.concat(
    joined.map(({ organization: { id, publicId, name, plan, settings }, role }) => {
      const locked = settings.require_mfa && user?.mfaEnabled !== true
      const manageable = !locked && allows(rolePermissions[role], ['organization:manage_billing'])
      return { space: { kind: 'organization', id, publicId, name, plan }, manageable, locked }
    }),
  )
}
