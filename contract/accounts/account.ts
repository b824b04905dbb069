import { coerce, define, type Infer, integer, nullable, object, array, refine, string, type } from 'superstruct'
import { publicAccess, endpoint, session } from '../core/endpoint'
import { Timestamp } from '../core/shapes'

/** Limits for a new password; an old one may be of any length up to `tried`, which limits the cost of hashing. */
export const passwordLength = { min: 12, max: 128, tried: 1024 } as const
export const avatarLimit = { bytes: 2_097_152, side: 1024 } as const
export const avatarTypes = ['image/png', 'image/jpeg', 'image/webp'] as const
/** Ten, shown once. */
export const recoveryCodeCount = 10

const filled = (label: string) => refine(string(), 'required', (value) => value !== '' || `${label} is required`)

export const PresentPassword = refine(
  filled('Password'),
  'too_long',
  (value) => value.length <= passwordLength.tried || 'This is not your password',
)

/** Neither trimmed nor restricted to kinds of characters; the server checks for common ones. */
export const NewPassword = refine(
  refine(filled('New password'), 'too_short', (value) => [...value].length >= passwordLength.min || 'Use at least 12 characters'),
  'too_long',
  (value) => [...value].length <= passwordLength.max || 'Use 128 characters or less',
)

/** Normalizes typed codes: in groups, in capitals, with an O for a 0 or an l for a 1. */
export const plainCode = (typed: string): string =>
  typed.toLowerCase().replace(/[\s-]/g, '').replace(/o/g, '0').replace(/[il]/g, '1')

const isAppCode = (code: string) => /^\d{6}$/.test(code)
const isRecoveryCode = (code: string) => /^[0-9a-hjkmnp-tv-z]{16}$/.test(code)

const typed = coerce(filled('Code'), string(), plainCode)
export const AppCode = refine(typed, 'code', (value) => isAppCode(value) || 'Enter the six digits that the app shows')
export const FactorCode = refine(
  typed,
  'code',
  (value) => isAppCode(value) || isRecoveryCode(value) || 'Enter the six digits that the app shows, or a recovery code',
)

export const PasswordChange = object({ current_password: PresentPassword, new_password: NewPassword })

export const changePassword = endpoint({
  method: 'POST',
  path: '/users/self/password',
  summary: 'Change the password. All other sessions and sign-ins of the account end.',
  needs: session,
  audit: 'user.password_change',
  rate: 'sign_in',
  body: PasswordChange,
  answer: 'none',
  status: 204,
})

export const SecondFactor = type({
  /** Null: turned off. */
  enabled_at: nullable(Timestamp),
  recovery_codes_left: integer(),
})
export type SecondFactor = Infer<typeof SecondFactor>

export const secondFactor = endpoint({
  method: 'GET',
  path: '/users/self/totp',
  summary: 'Get the state of two-step sign-in and the number of recovery codes left.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: SecondFactor,
})

export const ProvenPassword = object({ current_password: PresentPassword })
/** The secret for an authenticator app; shown until a code confirms it. */
export const FactorSecret = type({ secret: string(), otpauth_url: string() })
export type FactorSecret = Infer<typeof FactorSecret>

export const beginSecondFactor = endpoint({
  method: 'POST',
  path: '/users/self/totp',
  summary: 'Create a secret for an authenticator app. Sign-in asks for a code only after one has confirmed it.',
  needs: session,
  audit: 'none',
  rate: 'sign_in',
  body: ProvenPassword,
  answer: FactorSecret,
})

export const RecoveryCodes = type({ recovery_codes: array(string()) })
export type RecoveryCodes = Infer<typeof RecoveryCodes>
export const FactorConfirmation = object({ code: AppCode })

export const confirmSecondFactor = endpoint({
  method: 'POST',
  path: '/users/self/totp/confirm',
  summary: 'Turn on the second factor. Only this answer contains the recovery codes.',
  needs: session,
  audit: 'user.totp_enable',
  rate: 'sign_in',
  body: FactorConfirmation,
  answer: RecoveryCodes,
})

/** Both factors are required: an unattended session cannot remove either. */
export const BothFactors = object({ current_password: PresentPassword, code: FactorCode })

export const removeSecondFactor = endpoint({
  method: 'DELETE',
  path: '/users/self/totp',
  summary: 'Turn off the second factor and delete its recovery codes.',
  needs: session,
  audit: 'user.totp_disable',
  rate: 'sign_in',
  body: BothFactors,
  answer: 'none',
})

export const renewRecoveryCodes = endpoint({
  method: 'POST',
  path: '/users/self/totp/recovery_codes',
  summary: 'Create ten new recovery codes. Only this answer contains them; the old ones stop working.',
  needs: session,
  audit: 'user.recovery_codes_renew',
  rate: 'sign_in',
  body: BothFactors,
  answer: RecoveryCodes,
})

const File = define<Blob>('file', (value) => value instanceof Blob || 'Image must be a file')
export const AvatarForm = object({ image: File })
const ImageUrl = type({ image_url: nullable(string()) })

export const setAvatar = endpoint({
  method: 'POST',
  path: '/users/self/avatar',
  summary: 'Upload a picture as multipart form-data: PNG, JPEG or WebP, at most 2 MiB and 1024 pixels a side.',
  needs: session,
  audit: 'user.update',
  rate: 'write',
  needsSpace: true,
  body: AvatarForm,
  accepts: 'form',
  // Room for the multipart headers around the file.
  maxBytes: avatarLimit.bytes + 16_384,
  longBody: true,
  answer: ImageUrl,
})

export const removeAvatar = endpoint({
  method: 'DELETE',
  path: '/users/self/avatar',
  summary: 'Remove the picture.',
  needs: session,
  audit: 'user.update',
  rate: 'write',
  answer: ImageUrl,
})

export const avatar = endpoint({
  method: 'GET',
  path: '/avatars/:avatarKey',
  summary: 'Get a picture by its unguessable path. Its content never changes.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  answer: 'bytes',
})

export const endOtherSessions = endpoint({
  method: 'DELETE',
  path: '/sessions/others',
  summary: 'End all sessions of the caller except this one, and the sign-ins that created them.',
  needs: session,
  audit: 'session.delete',
  rate: 'write',
  answer: type({ ended: integer() }),
})
