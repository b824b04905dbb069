import { useState } from 'react'
import { avatar } from 'styled-system/recipes'
import { initialOf } from '../../lib/names'
import { GeneratedAvatar } from './generated-avatar'

type Props = { email: string | null | undefined; image?: string | null | undefined; label?: string; large?: boolean }

/** The profile picture, or the initial on a marble pattern generated from the e-mail address (§2). */
export const Avatar = ({ email, image, label, large }: Props) => {
  const [failedUrl, setFailedUrl] = useState<string>()
  const hasPicture = image && image !== failedUrl && /^https?:\/\//.test(image)
  return (
    <span className={avatar()} data-large={large || undefined} role={label ? 'img' : undefined} aria-label={label}>
      <GeneratedAvatar seed={email ?? ''} />
      <span aria-hidden>{initialOf(email)}</span>
      {hasPicture && (
        <img src={image} alt="" width={26} height={26} referrerPolicy="no-referrer" onError={() => setFailedUrl(image)} />
      )}
    </span>
  )
}
