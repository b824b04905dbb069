import { avatar, avatarLimit, removeAvatar, setAvatar } from '../../../contract/accounts/account'
import { pathOf } from '../../../contract/core/endpoint'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { createSecret } from '../../core/tokens/token'
import { cleanPicture, pictureType } from './picture'
import { callerAsAuditTarget } from './audit-target'
import { deleteAvatar, findAvatar, upsertAvatar } from './avatar.repository'
import { lockImageUrl, updateUser } from './repository'

const tooLarge = () =>
  refuse(413, 'file_too_large', { message: 'File size must be less than 2 MB', about: { max_bytes: avatarLimit.bytes } })

/** Stores the new image URL of the user, with an audit entry. */
const point = async (call: Call<typeof setAvatar> | Call<typeof removeAvatar>, imageUrl: string | null) => {
  const { tx, user, now, audit } = call
  const before = await lockImageUrl(tx, user.id)
  await updateUser(tx, user.id, { imageUrl }, now)
  audit({ target: callerAsAuditTarget(call), changes: [{ field: 'image_url', before, after: imageUrl }] })
  return { image_url: imageUrl }
}

export const avatarRoutes = (api: Api): void => {
  const { urls } = api.deps.config

  routeWithPreparation(
    api,
    setAvatar,
    async ({ body: { image } }) => {
      if (image.size > avatarLimit.bytes) tooLarge()
      if (image.size === 0) refuseField('image', 'empty', 'The file is empty')
      const picture = await cleanPicture(Buffer.from(await image.arrayBuffer()))
      return 'problem' in picture ? refuseField('image', picture.code, picture.problem) : picture
    },
    async (call, picture) => {
      const { tx, user, now } = call
      const key = createSecret()
      await upsertAvatar(tx, { userId: user.id, ...picture, key, createdAt: now })
      return point(call, `${urls.api}${pathOf(avatar.path, { avatarKey: key })}`)
    },
  )

  route(api, removeAvatar, async (call) => {
    await deleteAvatar(call.tx, call.user.id)
    return point(call, null)
  })

  route(api, avatar, async ({ tx, params, reply }) => {
    const found = await findAvatar(tx, params.avatarKey)
    // The type is read from the bytes that are sent, not from what is stored beside them.
    const type = found && pictureType(found.bytes)
    if (!found || type === undefined) return notFound()
    reply
      .type(type)
      .header('X-Content-Type-Options', 'nosniff')
      .header('Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'; sandbox")
      .header('Cache-Control', 'public, max-age=31536000, immutable')
      // Other origins of the product also show it: it is public to anyone who has its URL.
      .header('Cross-Origin-Resource-Policy', 'cross-origin')
      // An <img> shows it anyway; opened directly it is downloaded and never rendered as a document of this host.
      .header('Content-Disposition', `attachment; filename="avatar.${type.slice('image/'.length)}"`)
    return found.bytes
  })
}
