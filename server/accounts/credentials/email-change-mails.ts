import { emailChangeHours } from '../../../contract/accounts/email-change'
import { product } from '../../../contract/core/limits'
import type { Config } from '../../core/config'
import type { Letter } from '../../core/mail/queue-mail'
import type { EmailChangeRow } from './email-changes.repository'

type Urls = Pick<Config, 'urls'>
/** `token`: of the link; `linkHash`: its hash. */
type Asked = { oldEmail: string; newEmail: string; token: string; linkHash: string }

const link = ({ urls }: Urls, token: string) => `${urls['sign-in']}/email/${token}`
const valid = `It is valid for ${emailChangeHours} hours, and the address changes once both addresses have confirmed.`

/** To the new address. Others can cause it: it is limited. */
export const newAddressMail = (config: Urls, { newEmail, token, linkHash }: Asked): Letter => ({
  limited: true,
  linkHash,
  to: newEmail,
  subject: `Confirm this address for your ${product.name} account`,
  text: `Someone, probably you, wants to use this address for a ${product.name} account. Use this link to confirm it. ${valid}\n\n${link(config, token)}\n\nIf you did not request this, ignore this mail.\n`,
})

/** To the new address if it has an account: only its mailbox learns that. */
export const takenAddressMail = ({ urls }: Urls, { newEmail, linkHash }: Asked): Letter => ({
  limited: true,
  linkHash,
  to: newEmail,
  subject: `You have a ${product.name} account`,
  text: `Someone, probably you, wanted to use this address for another ${product.name} account. It has an account already, so nothing changes.\n\nSign in: ${urls['sign-in']}/signin\nForgot your password? ${urls['sign-in']}/forgot\n`,
})

/** To the present address: it can confirm, and it can withdraw. */
export const oldAddressMail = (config: Urls, { oldEmail, newEmail, token, linkHash }: Asked): Letter => ({
  limited: false,
  linkHash,
  to: oldEmail,
  subject: `${product.name}: confirm your new e-mail address`,
  text: `Someone, probably you, asked to change the address of your account to ${newEmail}. Use this link to confirm or to withdraw the change. ${valid}\n\n${link(config, token)}\n\nIf it was not you, withdraw the change behind the link, then choose a new password at ${config.urls['sign-in']}/forgot, which ends all sessions.\n`,
})

/** To both addresses after the change. The old one can no longer reset the password. */
export const changedMails = ({ urls }: Urls, { oldEmail, newEmail }: EmailChangeRow): Letter[] =>
  [oldEmail, newEmail].map((to) => ({
    limited: false,
    to,
    subject: `${product.name}: your e-mail address was changed`,
    text: `The address of your account was changed from ${oldEmail} to ${newEmail}. Sign in with ${newEmail} from now on.\n\nIf it was not you, ${
      to === newEmail ? `choose a new password at ${urls['sign-in']}/forgot` : 'tell an owner of your organization'
    } at once.\n`,
  }))
