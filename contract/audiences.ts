import type { AuditAction } from './audit-actions'
import type { EventType } from './events'
import type { NotificationKind } from './notifications'

/** Nouns of the actions that are decided here. The others only read, or are steps of one person at a form. */
export const toldNouns = [
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
type ToldAction = Extract<AuditAction, `${(typeof toldNouns)[number]}.${string}`>
type UnrecordedEvent =
  | 'device.pending'
  | 'device.connectivity'
  | 'device.health'
  | 'update.end'
  | 'release.state'
  | 'rollout.state'
  | 'expiry'

/**
 * Who is told of what happens, beside the audit log. `webhooks`: the events that receivers can choose. `notification`: in the bell, and
 * by mail as the person has chosen. `mail`: to whom, whatever they have chosen. `nobody`: why neither.
 */
export type Audience = { webhooks?: readonly EventType[] } & (
  | { notification: readonly NotificationKind[]; mail?: string }
  | { mail: string }
  | { nobody: string }
)

const byThemselves = 'done by the person whom it concerns'
const ofTeam = 'a step of the team at its work; the page and the audit log show it'
const asked = 'the page of whoever did it says how it ends'

/** Of each action of the audit log, and of what happens without a person: a decision. */
export const audiences = {
  'session.create': { notification: ['sign_in.new_browser'] },
  'session.delete': { nobody: byThemselves },
  'session.fail': { nobody: 'anybody can cause it as often as they like; it is in the account’s activity' },
  'user.create': { mail: 'the new address: the link that confirms it' },
  'user.update': { nobody: byThemselves },
  'user.profile_submit': { nobody: byThemselves },
  'user.password_change': { mail: 'the person, as a security notice' },
  'user.password_reset_request': { mail: 'the person: the link' },
  'user.totp_enable': { mail: 'the person, as a security notice' },
  'user.totp_disable': { mail: 'the person, as a security notice' },
  'user.recovery_codes_renew': { mail: 'the person, as a security notice' },
  'user.recovery_code_use': { mail: 'the person, as a security notice' },
  'user.identity_connect': { mail: 'the person, as a security notice' },
  'user.identity_disconnect': { mail: 'the person, as a security notice' },
  'user.notifications_change': { nobody: byThemselves },
  'organization.create': { nobody: byThemselves },
  'organization.update': { nobody: ofTeam },
  'organization.delete': { nobody: 'it is empty by then: its projects were moved or deleted first' },
  'organization.leave': { nobody: 'the list of members shows it; open work of the person stays' },
  'member.join': { nobody: 'who invited sees the invite as accepted' },
  'member.role_change': { nobody: 'the console of the person follows at their next request' },
  'member.remove': { nobody: 'the console of the person says so at their next request' },
  'invite.create': { notification: ['invite.received'], mail: 'the invited address: the link' },
  'invite.resend': { notification: ['invite.received'], mail: 'the invited address: the link' },
  'invite.revoke': { nobody: 'its link says so' },
  'invite.accept': { nobody: 'the list of invites shows it' },
  'invite.decline': { nobody: 'the list of invites shows it' },
  'invite.expire': { nobody: 'the list of invites shows it, with a button that sends it again' },
  'access_request.create': { mail: 'those who manage members' },
  'access_request.grant': { mail: 'who asked' },
  'access_request.deny': { mail: 'who asked' },
  'project.create': { nobody: ofTeam },
  'project.update': { nobody: ofTeam },
  'project.delete': { nobody: 'who deletes it is asked first, with what ends' },
  'project.transfer': { notification: ['project.moved_out'] },
  'project.settings_update': { webhooks: ['project.settings_updated'], nobody: ofTeam },
  'device.pre_enroll': { nobody: ofTeam },
  'device.enroll': { webhooks: ['device.enrolled'], nobody: 'a batch of devices would be a batch of mails' },
  'device.accept': { nobody: ofTeam },
  'device.reject': { nobody: ofTeam },
  'device.update': { nobody: ofTeam },
  'device.disable': { nobody: ofTeam },
  'device.enable': { nobody: ofTeam },
  'device.decommission': { webhooks: ['device.decommissioned'], nobody: ofTeam },
  'device.restore': { nobody: ofTeam },
  'device.move': { notification: ['devices.moved_out'] },
  'device.import': { nobody: asked },
  'device.simulate': { nobody: asked },
  'device.command': { nobody: asked },
  'device.command_cancel': { nobody: asked },
  'device.token_rotate': { nobody: ofTeam },
  'device.clear_quarantine': { nobody: ofTeam },
  'device.delete': { nobody: 'it can be restored for 30 days' },
  'device_job.create': { nobody: asked },
  'device_job.cancel': { nobody: asked },
  'device_job.undo': { nobody: asked },
  'device_job.stop': { nobody: asked },
  'device.pending': { webhooks: ['device.pending'], nobody: 'Monitor lists it under Attention' },
  'device.connectivity': {
    webhooks: ['device.online', 'device.late', 'device.offline'],
    notification: ['devices.offline'],
  },
  'device.health': { webhooks: ['device.health_changed'], nobody: 'Monitor lists it under Attention' },
  'release.create': { nobody: ofTeam },
  'release.update': { nobody: ofTeam },
  'release.finalize': { nobody: ofTeam },
  'release.reopen': { nobody: ofTeam },
  'release.sign': { nobody: ofTeam },
  'release.publish': { nobody: ofTeam },
  'release.revoke': { webhooks: ['release.revoked'], notification: ['release.revoked'] },
  'release.archive': { nobody: ofTeam },
  'release.delete': { nobody: ofTeam },
  'release.state': { webhooks: ['release.ready', 'release.released'], nobody: ofTeam },
  'rollout.create': { nobody: ofTeam },
  'rollout.request_approval': { webhooks: ['rollout.approval_requested'], notification: ['rollout.approval_requested'] },
  'rollout.approve': { webhooks: ['rollout.approved'], notification: ['rollout.approved'] },
  'rollout.deny': { webhooks: ['rollout.denied'], notification: ['rollout.denied'] },
  'rollout.start': { webhooks: ['rollout.started'], nobody: ofTeam },
  'rollout.pause': { nobody: ofTeam },
  'rollout.resume': { webhooks: ['rollout.resumed'], nobody: ofTeam },
  'rollout.wave_continue': { nobody: ofTeam },
  'rollout.halt': { webhooks: ['rollout.halted'], notification: ['rollout.halted'] },
  'rollout.cancel': { webhooks: ['rollout.cancelled'], nobody: ofTeam },
  'rollout.expire': { webhooks: ['rollout.expired'], nobody: 'its end was chosen in its plan' },
  'rollout.roll_back': { webhooks: ['rollout.rolled_back'], notification: ['rollout.rolled_back'] },
  'rollout.retry': { nobody: ofTeam },
  'rollout.state': {
    webhooks: ['rollout.wave_passed', 'rollout.waiting_for_user', 'rollout.completed'],
    notification: ['rollout.waiting_for_user'],
  },
  'update.end': {
    webhooks: ['update.succeeded', 'update.failed', 'update.rolled_back'],
    nobody: 'the gate of the wave decides when failures are too many, and then halts the rollout',
  },
  'bundle.create': { nobody: ofTeam },
  'bundle.update': { nobody: ofTeam },
  'bundle.check': { nobody: asked },
  'bundle.artifact_add': { nobody: ofTeam },
  'bundle.artifact_upload': { nobody: ofTeam },
  'bundle.artifact_delete': { nobody: ofTeam },
  'bundle.private_key': { nobody: 'the upload is refused, and its page says so' },
  'bundle.apply': { nobody: ofTeam },
  'bundle.revoke': { nobody: ofTeam },
  'bundle.archive': { nobody: ofTeam },
  'bundle.restore': { nobody: ofTeam },
  'bundle.delete': { nobody: ofTeam },
  'bundle.download': { nobody: ofTeam },
  'key.create': { nobody: ofTeam },
  'key.import': { nobody: ofTeam },
  'key.rotate': { nobody: ofTeam },
  'key.keep': { nobody: ofTeam },
  'key.retire': { nobody: ofTeam },
  'key.revoke': { webhooks: ['key.revoked'], nobody: 'who revokes it is asked first for which releases another key must sign' },
  'key.coverage_override': { nobody: ofTeam },
  'key.list_publish': { nobody: ofTeam },
  expiry: { webhooks: ['key.expiring', 'access_token.expiring'], notification: ['key.expiring', 'access_token.expiring'] },
  'access_token.create': { nobody: ofTeam },
  'access_token.revoke': { nobody: 'the program that uses it is told by its next answer' },
  'access_token.rotate': { nobody: ofTeam },
  'access_token.use_denied': { nobody: 'a program can cause it at each request; the token’s page and the audit log show it' },
  'enrollment_token.create': { nobody: ofTeam },
  'enrollment_token.revoke': { nobody: ofTeam },
  'subscription.checkout': { nobody: byThemselves },
  'subscription.change': { mail: 'those who can pay, when a payment failed or the plan has ended' },
  'subscription.cancel': { nobody: byThemselves },
  'webhook.create': { nobody: ofTeam },
  'webhook.update': { nobody: ofTeam },
  'webhook.delete': { nobody: ofTeam },
  'webhook.disable': { mail: 'who created it, or those who manage webhooks, when the server has disabled it' },
  'webhook.enable': { nobody: ofTeam },
  'webhook.rotate': { nobody: ofTeam },
  'webhook.test': { nobody: asked },
  'webhook.resend': { nobody: asked },
} as const satisfies Readonly<Record<ToldAction | UnrecordedEvent, Audience>>
