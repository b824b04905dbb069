import type { BaseRole } from '../../contract/core/roles'
import type { Variables } from './variables'

export type IdentityProvider = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The name on the button: "Continue with …". */
  name: string
  /** The mail domains whose addresses may sign in; empty: all. */
  domains: readonly string[]
  groupClaim: string
  /** By the name of the group; an organization by its public id. */
  groupRoles: Readonly<Record<string, { organization: string; role: BaseRole }>>
}

const dependent = [
  'TEASEL_OIDC_CLIENT_ID',
  'TEASEL_OIDC_CLIENT_SECRET',
  'TEASEL_OIDC_NAME',
  'TEASEL_OIDC_DOMAINS',
  'TEASEL_OIDC_GROUP_CLAIM',
  'TEASEL_OIDC_GROUP_ROLES',
] as const

/** Undefined without an issuer. Throws an Error that names the variable. */
export const toIdentityProvider = (read: Variables): IdentityProvider | undefined => {
  const { TEASEL_OIDC_ISSUER: issuer } = read
  if (issuer === undefined) {
    const alone = dependent.find((name) => read[name] !== undefined)
    if (alone !== undefined) throw new Error(`${alone}: set TEASEL_OIDC_ISSUER too`)
    if (!read.TEASEL_PASSWORD_SIGN_IN)
      throw new Error('TEASEL_PASSWORD_SIGN_IN: off needs TEASEL_OIDC_ISSUER, because nobody could sign in')
    return undefined
  }
  const needed = (name: 'TEASEL_OIDC_CLIENT_ID' | 'TEASEL_OIDC_CLIENT_SECRET') => {
    const value = read[name]
    if (value === undefined) throw new Error(`${name}: required, because TEASEL_OIDC_ISSUER is set`)
    return value
  }
  return {
    issuer,
    clientId: needed('TEASEL_OIDC_CLIENT_ID'),
    clientSecret: needed('TEASEL_OIDC_CLIENT_SECRET'),
    name: read.TEASEL_OIDC_NAME?.trim() ?? new URL(issuer).hostname,
    domains: read.TEASEL_OIDC_DOMAINS ?? [],
    groupClaim: read.TEASEL_OIDC_GROUP_CLAIM ?? 'groups',
    groupRoles: read.TEASEL_OIDC_GROUP_ROLES ?? {},
  }
}
