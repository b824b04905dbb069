import { product } from '../../../contract/core/limits'
import type { Config } from '../../core/config'
import type { Mail } from '../../core/deps'
import type { InviteTarget } from './target'
import { nameOf } from './state'

/** The page of the sign-in host where the invited person answers. */
export const acceptUrl = ({ urls }: Config, token: string): string => `${urls['sign-in']}/invites/${token}`

/** The same link in the mail: with the proof that its reader owns the address. */
export const mailedUrl = (url: string, proof: string): string => `${url}?mail=${proof}`

type Letter = {
  to: string
  target: InviteTarget
  inviter: { fullName: string; email: string }
  role: string
  message: string
  url: string
  expiresAt: Date
}

export const inviteMail = ({ to, target, inviter, role, message, url, expiresAt }: Letter): Mail => {
  const who = inviter.fullName ? `${inviter.fullName} (${inviter.email})` : inviter.email
  const written = message && `Message:\n\n${message.replace(/^/gm, '  ')}\n\n`
  return {
    to,
    subject: `${nameOf(inviter)} invites you to ${target.name} on ${product.name}`,
    text: `${who} invites you to the ${target.kind} ${target.name} as ${role}.\n\n${written}Accept or decline:\n\n${url}\n\nThe link is for you only and valid until ${expiresAt.toISOString().slice(0, 10)}. If you did not expect this invite, ignore this mail.\n`,
  }
}
