import { and, asc, eq, inArray } from 'drizzle-orm'
import { rolesWith } from '../../../contract/core/roles'
import type { Tx } from '../../core/database/tx'
import { members } from '../schema/organizations'
import { users } from '../schema/people'
import type { BillingAccount } from './billing-account'

/** The addresses of those who can pay for an account. */
export const listPayers = async (tx: Tx, { kind, id }: Pick<BillingAccount, 'kind' | 'id'>): Promise<string[]> => {
  if (kind === 'user') {
    const rows = await tx.select({ email: users.email }).from(users).where(eq(users.id, id))
    return rows.map(({ email }) => email)
  }
  const paying = inArray(members.baseRole, rolesWith('organization:manage_billing'))
  const rows = await tx
    .select({ email: users.email })
    .from(members)
    .innerJoin(users, eq(users.id, members.userId))
    .where(and(eq(members.organizationId, id), paying))
    .orderBy(asc(users.id))
  return rows.map(({ email }) => email)
}
