import { eq } from 'drizzle-orm'
import { self, updateSelf } from '../../../contract/users'
import { users } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { rowUpdate } from '../../core/database/row'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { userToJson } from './to-json'

const find = async (tx: Tx, id: string) => {
  const [user] = await tx.select().from(users).where(eq(users.id, id))
  return user ?? refuse(401, 'unauthenticated')
}

export const userRoutes = (api: Api): void => {
  route(api, self, async ({ tx, user }) => ({ data: userToJson(await find(tx, user.id)) }))

  route(api, updateSelf, async ({ tx, user, body, now, audit }) => {
    const before = userToJson(await find(tx, user.id))
    await tx
      .update(users)
      .set({ ...(body.full_name !== undefined && { fullName: body.full_name }), ...rowUpdate(now) })
      .where(eq(users.id, user.id))
    const after = userToJson(await find(tx, user.id))
    const target = { kind: 'user', id: user.id, name: after.full_name }
    audit({ target, changes: changesOf(before, after, ['full_name']) })
    return after
  })
}
