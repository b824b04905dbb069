import type { AccountEvent, accountActions } from '../../../contract/accounts/account-activity'

type Action = (typeof accountActions)[number]

const texts: Readonly<Record<Action, string>> = {
  'session.create': 'Signed in',
  'session.delete': 'Session ended',
  'session.fail': 'Sign-in failed',
  'user.create': 'Account created',
  'user.update': 'Account changed',
  'user.profile_submit': 'Profile answers saved',
  'user.password_change': 'Password changed',
  'user.password_reset_request': 'Password reset requested',
  'user.email_change_request': 'Change of e-mail address requested',
  'user.email_change_withdraw': 'Change of e-mail address withdrawn',
  'user.email_change': 'E-mail address changed',
  'user.totp_enable': 'Two-step sign-in turned on',
  'user.totp_disable': 'Two-step sign-in turned off',
  'user.recovery_codes_renew': 'New recovery codes created',
  'user.recovery_code_use': 'Signed in with a recovery code',
  'user.identity_connect': 'Company account connected',
  'user.identity_disconnect': 'Company account disconnected',
  'user.notifications_change': 'Notification settings changed',
  'user.export': 'Data of the account downloaded',
}

const changes: Readonly<Record<string, string>> = { full_name: 'Name changed', image_url: 'Picture changed' }

const reasons: Readonly<Record<string, string>> = {
  'all other sessions': 'All other sessions ended',
  'at the sign-in host': 'Signed out of the sign-in page',
  'by the identity provider': 'Session ended by the company account',
  'its sign-in code was used twice': 'Session ended: its sign-in code was used twice',
  'password not proven': 'Wrong password entered in an open session',
  'second factor not proven': 'Wrong code entered in an open session',
}

/** An account event in words. An action that only a newer server knows is shown by its own name. */
export const eventText = ({ action, changed, reason }: AccountEvent): string => {
  const [field = ''] = changed
  const known: Readonly<Record<string, string>> = texts
  return reasons[reason ?? ''] ?? (action === 'user.update' ? changes[field] : undefined) ?? known[action] ?? action
}

/** Events to highlight: failures, and removed protection. */
export const isAlarming = ({ action, result }: AccountEvent): boolean =>
  result !== 'success' || action === 'user.totp_disable' || action === 'user.password_reset_request'
