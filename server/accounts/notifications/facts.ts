import type { DeviceRef, EventFacts } from '../../../contract/accounts/events'

type DataIn<E, T> = E extends EventFacts ? (T extends E['type'] ? E['data'] : never) : never
type DataOf<T extends EventFacts['type']> = DataIn<EventFacts, T>
type Is<K extends string, D> = { kind: K; data: D }

type RolloutKind =
  | 'rollout.approval_requested'
  | 'rollout.approved'
  | 'rollout.denied'
  | 'rollout.halted'
  | 'rollout.waiting_for_user'
  | 'rollout.rolled_back'

/** What the texts of a notification are made of. */
export type NotificationFacts =
  | Is<RolloutKind, DataOf<RolloutKind>>
  | Is<'release.revoked', DataOf<'release.revoked'>>
  | Is<'key.expiring', DataOf<'key.expiring'>>
  | Is<'access_token.expiring', DataOf<'access_token.expiring'>>
  | Is<'devices.offline', { count: number; sample: DeviceRef[] }>
  | Is<'devices.moved_out', { by: string; from: string; owner: string; to: string; count: number; device: string }>
  | Is<'project.moved_out', { by: string; project: string; owner: string; to: string | null }>
  | Is<'member.account_deleted', { by: string; organization: string; tokens: number }>
  | Is<'invite.received', { inviter: string; target: { kind: string; name: string }; role: string; expires_at: string }>
  | Is<'sign_in.new_browser', { ip: string; user_agent: string | null; at: string }>

export type NotificationKind = NotificationFacts['kind']
