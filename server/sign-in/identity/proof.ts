import { is } from 'superstruct'
import type { IdentityProof } from '../../accounts/identities/repository'
import { SelfChange } from '../../../contract/accounts/users'
import { emailForm } from '../../../contract/core/rules'
import type { IdentityProvider } from '../../core/identity-provider'
import { findUnseen } from '../../core/unseen'
import type { Claims } from './provider'
import { IdentityRefusal } from './refusals'

const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : '')

/** Some providers send claims of the userinfo endpoint as texts. `xms_edov` is Entra ID's word for a verified domain. */
const isYes = (value: unknown): boolean => value === true || value === 'true' || value === 1 || value === '1'

/** Null if the provider left the groups out because there are too many (Entra ID: "groups overage"). */
const groupsOf = (claims: Claims, claim: string): string[] | null => {
  const elsewhere: unknown = claims._claim_names
  if (typeof elsewhere === 'object' && elsewhere !== null && claim in elsewhere) return null
  const value = claims[claim]
  return (Array.isArray(value) ? value : [value]).filter((one): one is string => typeof one === 'string')
}

/** What the verified claims say of the person. `isVerified`: the provider vouches for the address. */
export const readProof = (claims: Claims, { groupClaim }: Pick<IdentityProvider, 'groupClaim'>) => {
  const name = text(claims.name)
  const proof: IdentityProof = {
    issuer: text(claims.iss),
    subject: text(claims.sub),
    session: text(claims.sid) || null,
    email: text(claims.email).toLowerCase(),
    name: is({ full_name: name }, SelfChange) && findUnseen(name) === undefined ? name : '',
    groups: groupsOf(claims, groupClaim),
  }
  return { proof, isVerified: isYes(claims.email_verified) || isYes(claims.xms_edov) }
}

/** Refuses an address that the provider does not vouch for, or that the settings exclude. */
export const requireAddress = (
  { proof: { email }, isVerified }: ReturnType<typeof readProof>,
  { domains }: Pick<IdentityProvider, 'domains'>,
): void => {
  if (!emailForm.test(email)) throw new IdentityRefusal('address_missing')
  if (!isVerified) throw new IdentityRefusal('address_unverified')
  const domain = email.slice(email.lastIndexOf('@') + 1)
  if (domains.length > 0 && !domains.includes(domain)) throw new IdentityRefusal('address_not_allowed')
}
