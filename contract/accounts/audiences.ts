import type { AuditAction } from '../core/audit-actions'
import type { EventType } from './events'
import type { NotificationKind } from './notifications'

/** Nouns of the actions that are decided here. The others only read, or are steps of one person at a form. */
export const decidedNouns = [
  'session',
  'user',
  'organization',
  'member',
  'invite',
  'access_request',
  'project',
  'device',
  'device_job',
  'release',
  'rollout',
  'bundle',
  'key',
  'access_token',
  'enrollment_token',
  'subscription',
  'webhook',
] as const
type DecidedAction = Extract<AuditAction, `${(typeof decidedNouns)[number]}.${string}`>
type UnrecordedEvent =
  | 'device.pending'
  | 'device.connectivity'
  | 'device.health'
  | 'update.end'
  | 'release.state'
  | 'rollout.state'
  | 'expiry'

/**
 * Who is notified of what happens, beside the audit log. `webhooks`: the events that receivers can choose. `notification`: in the bell, and
 * by mail as the person has chosen. `mail`: the recipient, independent of that choice. `none`: why neither.
 */
export type Audience = { webhooks?: readonly EventType[] } & (
  | { notification: readonly NotificationKind[]; mail?: string }
  | { mail: string }
  | { none: string }
)

const byThemselves = 'done by the person concerned'
const ofTeam = 'a step of the team at its work; the page and the audit log show it'
const asked = 'the page of the person who did it shows the result'

/** Of each action of the audit log, and of what happens without a person: a decision. */
export const audiences = {
  'session.create': { notification: ['sign_in.new_browser'] },
  'session.delete': { none: byThemselves },
  'session.fail': { none: 'anyone can cause it any number of times; it is in the activity of the account' },
  'user.create': { mail: 'the new address: the link that confirms it' },
  'user.update': { none: byThemselves },
  'user.profile_submit': { none: byThemselves },
  'user.password_change': { mail: 'the person, as a security notice' },
  'user.password_reset_request': { mail: 'the person: the link' },
  'user.email_change_request': { mail: 'both addresses: the links' },
  'user.email_change_withdraw': { none: byThemselves },
  'user.email_change': { mail: 'both addresses, as a security notice' },
  'user.totp_enable': { mail: 'the person, as a security notice' },
  'user.totp_disable': { mail: 'the person, as a security notice' },
  'user.recovery_codes_renew': { mail: 'the person, as a security notice' },
  'user.recovery_code_use': { mail: 'the person, as a security notice' },
  'user.identity_connect': { mail: 'the person, as a security notice' },
  'user.identity_disconnect': { mail: 'the person, as a security notice' },
  'user.notifications_change': { none: byThemselves },
  'user.export': { none: byThemselves },
  'user.delete': { mail: 'the person, as the last mail to them' },
  'organization.create': { none: byThemselves },
  'organization.update': { none: ofTeam },
  'organization.delete': { none: 'it is empty by then: its projects were moved or deleted first' },
  'organization.leave': { none: 'the list of members shows it; open work of the person stays' },
  'member.join': { none: 'the list of invites shows it as accepted' },
  'member.role_change': { none: 'the console of the person follows at their next request' },
  'member.account_delete': { notification: ['member.account_deleted'] },
  'member.remove': { none: 'the console of the person says so at their next request' },
  'invite.create': { notification: ['invite.received'], mail: 'the invited address: the link' },
  'invite.resend': { notification: ['invite.received'], mail: 'the invited address: the link' },
  'invite.revoke': { none: 'its link says so' },
  'invite.accept': { none: 'the list of invites shows it' },
  'invite.decline': { none: 'the list of invites shows it' },
  'invite.expire': { none: 'the list of invites shows it, with a button that sends it again' },
  'access_request.create': { mail: 'those who manage members' },
  'access_request.grant': { mail: 'who asked' },
  'access_request.deny': { mail: 'who asked' },
  'project.create': { none: ofTeam },
  'project.update': { none: ofTeam },
  'project.delete': { none: 'a question before the deletion names what ends' },
  'project.transfer': { notification: ['project.moved_out'] },
  'project.settings_update': { webhooks: ['project.settings_updated'], none: ofTeam },
  'device.pre_enroll': { none: ofTeam },
  'device.enroll': { webhooks: ['device.enrolled'], none: 'a batch of devices would be a batch of mails' },
  'device.accept': { none: ofTeam },
  'device.reject': { none: ofTeam },
  'device.update': { none: ofTeam },
  'device.disable': { none: ofTeam },
  'device.enable': { none: ofTeam },
  'device.decommission': { webhooks: ['device.decommissioned'], none: ofTeam },
  'device.restore': { none: ofTeam },
  'device.move': { notification: ['devices.moved_out'] },
  'device.import': { none: asked },
  'device.simulate': { none: asked },
  'device.command': { none: asked },
  'device.command_cancel': { none: asked },
  'device.token_rotate': { none: ofTeam },
  'device.clear_quarantine': { none: ofTeam },
  'device.delete': { none: 'it can be restored for 30 days' },
  'device_job.create': { none: asked },
  'device_job.cancel': { none: asked },
  'device_job.undo': { none: asked },
  'device_job.stop': { none: asked },
  'device.pending': { webhooks: ['device.pending'], none: 'Monitor lists it under Attention' },
  'device.connectivity': {
    webhooks: ['device.online', 'device.late', 'device.offline'],
    notification: ['devices.offline'],
  },
  'device.health': { webhooks: ['device.health_changed'], none: 'Monitor lists it under Attention' },
  'release.create': { none: ofTeam },
  'release.update': { none: ofTeam },
  'release.finalize': { none: ofTeam },
  'release.reopen': { none: ofTeam },
  'release.sign': { none: ofTeam },
  'release.publish': { none: ofTeam },
  'release.revoke': { webhooks: ['release.revoked'], notification: ['release.revoked'] },
  'release.archive': { none: ofTeam },
  'release.delete': { none: ofTeam },
  'release.state': { webhooks: ['release.ready', 'release.released'], none: ofTeam },
  'rollout.create': { none: ofTeam },
  'rollout.request_approval': { webhooks: ['rollout.approval_requested'], notification: ['rollout.approval_requested'] },
  'rollout.approve': { webhooks: ['rollout.approved'], notification: ['rollout.approved'] },
  'rollout.deny': { webhooks: ['rollout.denied'], notification: ['rollout.denied'] },
  'rollout.start': { webhooks: ['rollout.started'], none: ofTeam },
  'rollout.pause': { none: ofTeam },
  'rollout.resume': { webhooks: ['rollout.resumed'], none: ofTeam },
  'rollout.wave_continue': { none: ofTeam },
  'rollout.halt': { webhooks: ['rollout.halted'], notification: ['rollout.halted'] },
  'rollout.cancel': { webhooks: ['rollout.cancelled'], none: ofTeam },
  'rollout.expire': { webhooks: ['rollout.expired'], none: 'its end was chosen in its plan' },
  'rollout.roll_back': { webhooks: ['rollout.rolled_back'], notification: ['rollout.rolled_back'] },
  'rollout.retry': { none: ofTeam },
  'rollout.state': {
    webhooks: ['rollout.wave_passed', 'rollout.waiting_for_user', 'rollout.completed'],
    notification: ['rollout.waiting_for_user'],
  },
  'update.end': {
    webhooks: ['update.succeeded', 'update.failed', 'update.rolled_back'],
    none: 'the gate of the wave decides when failures are too many, and then halts the rollout',
  },
  'bundle.create': { none: ofTeam },
  'bundle.update': { none: ofTeam },
  'bundle.check': { none: asked },
  'bundle.artifact_add': { none: ofTeam },
  'bundle.artifact_upload': { none: ofTeam },
  'bundle.artifact_delete': { none: ofTeam },
  'bundle.private_key': { none: 'the upload is refused, and its page says so' },
  'bundle.apply': { none: ofTeam },
  'bundle.revoke': { none: ofTeam },
  'bundle.archive': { none: ofTeam },
  'bundle.restore': { none: ofTeam },
  'bundle.delete': { none: ofTeam },
  'bundle.download': { none: ofTeam },
  'key.create': { none: ofTeam },
  'key.import': { none: ofTeam },
  'key.rotate': { none: ofTeam },
  'key.keep': { none: ofTeam },
  'key.retire': { none: ofTeam },
  'key.revoke': {
    webhooks: ['key.revoked'],
    none: 'a question before the revocation names the releases that another key must sign',
  },
  'key.coverage_override': { none: ofTeam },
  'key.list_publish': { none: ofTeam },
  expiry: { webhooks: ['key.expiring', 'access_token.expiring'], notification: ['key.expiring', 'access_token.expiring'] },
  'access_token.create': { none: ofTeam },
  'access_token.revoke': { none: 'the next answer to its program says so' },
  'access_token.rotate': { none: ofTeam },
  'access_token.use_denied': { none: 'a program can cause it at each request; the token’s page and the audit log show it' },
  'enrollment_token.create': { none: ofTeam },
  'enrollment_token.revoke': { none: ofTeam },
  'subscription.checkout': { none: byThemselves },
  'subscription.change': { mail: 'those who can pay, when a payment failed or the plan has ended' },
  'subscription.cancel': { none: byThemselves },
  'webhook.create': { none: ofTeam },
  'webhook.update': { none: ofTeam },
  'webhook.delete': { none: ofTeam },
  'webhook.disable': { mail: 'who created it, or those who manage webhooks, when the server has disabled it' },
  'webhook.enable': { none: ofTeam },
  'webhook.rotate': { none: ofTeam },
  'webhook.test': { none: asked },
  'webhook.resend': { none: asked },
} as const satisfies Readonly<Record<DecidedAction | UnrecordedEvent, Audience>>
