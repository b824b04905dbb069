import { refuse } from '../../core/http/refuse'

/** Refuses a change that was decided while a member had another role: somebody else has changed it since. */
export const requireExpectedRole = (role: string | null, expected: string | null | undefined): void => {
  if (expected !== undefined && expected !== role)
    refuse(409, 'role_changed', {
      message: `The role was changed in the meantime: it is ${role ?? 'that of the organization'} now`,
    })
}
