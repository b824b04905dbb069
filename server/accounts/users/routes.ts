import { self, updateSelf } from '../../../contract/accounts/users'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { changesOf } from '../../core/http/audit'
import { refuse } from '../../core/http/refuse'
import { route } from '../../core/http/route'
import { findUser, updateUser } from './repository'
import { userToJson } from './to-json'

const find = async (tx: Tx, id: string) => (await findUser(tx, id)) ?? refuse(401, 'unauthenticated')

export const userRoutes = (api: Api): void => {
  route(api, self, async ({ tx, user }) => ({ data: userToJson(await find(tx, user.id)) }))

  route(api, updateSelf, async ({ tx, user, body, now, audit }) => {
    const before = userToJson(await find(tx, user.id))
    await updateUser(
      tx,
      user.id,
      {
        ...(body.full_name !== undefined && { fullName: body.full_name }),
        ...(body.feature_channel && { featureChannel: body.feature_channel }),
      },
      now,
    )
    const after = userToJson(await find(tx, user.id))
    const target = { kind: 'user', id: user.id, name: after.full_name }
    audit({ target, changes: changesOf(before, after, ['full_name', 'feature_channel']) })
    return after
  })
}
