import { eq } from 'drizzle-orm'
import { avatar, avatarLimit, removeAvatar, setAvatar } from '../../../contract/account'
import { avatars, users } from '../schema/people'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import type { Call } from '../../core/http/call'
import { rowUpdate } from '../../core/database/row'
import { notFound, refuse, refuseField } from '../../core/http/refuse'
import { route, routeWithPreparation } from '../../core/http/route'
import { createSecret } from '../../core/tokens/token'
import { cleanPicture, pictureType } from './picture/picture'
import { ownTarget } from './audit-target'

const tooLarge = () =>
  refuse(413, 'file_too_large', { message: 'File size must be less than 2 MB', about: { max_bytes: avatarLimit.bytes } })

const imageUrlOf = async (tx: Tx, userId: string) => {
  const [user] = await tx.select({ imageUrl: users.imageUrl }).from(users).where(eq(users.id, userId)).for('update')
  return user?.imageUrl ?? null
}

/** Stores the new image URL of the user, with an audit entry. */
const point = async (call: Call<typeof setAvatar> | Call<typeof removeAvatar>, imageUrl: string | null) => {
  const { tx, user, now, audit } = call
  const before = await imageUrlOf(tx, user.id)
  await tx
    .update(users)
    .set({ imageUrl, ...rowUpdate(now) })
    .where(eq(users.id, user.id))
  audit({ target: ownTarget(call), changes: [{ field: 'image_url', before, after: imageUrl }] })
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
      const set = { ...picture, key: createSecret(), createdAt: now }
      // One row per person: the previous picture is deleted with its URL.
      await tx
        .insert(avatars)
        .values({ userId: user.id, ...set })
        .onConflictDoUpdate({ target: avatars.userId, set })
      return point(call, `${urls.api}/avatars/${set.key}`)
    },
  )

  route(api, removeAvatar, async (call) => {
    await call.tx.delete(avatars).where(eq(avatars.userId, call.user.id))
    return point(call, null)
  })

  route(api, avatar, async ({ tx, params, reply }) => {
    const [found] = await tx.select().from(avatars).where(eq(avatars.key, params.avatarKey))
    // The type is read from the bytes that are sent: JPEG and WebP are served as they came, without having been decoded.
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
