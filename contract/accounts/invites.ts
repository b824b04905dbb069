import { array, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { publicAccess, endpoint, requires, inOrganization, inProject, session } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { Plan } from './plans'
import { BaseRole, ProjectRole } from '../core/roles'
import { boundedList } from '../core/bounded'
import { emailForm, text } from '../core/rules'
import { entity, Id, Timestamp } from '../core/shapes'

/** How many addresses one call may invite, and how often one invite may be sent. */
export const inviteLimits = { emails: 20, sends: 5, days: 7 } as const

export const inviteStates = ['pending', 'accepted', 'declined', 'expired', 'revoked', 'bounced'] as const
const InviteState = enums(inviteStates)
export type InviteState = Infer<typeof InviteState>

const facts = {
  ...entity,
  email: string(),
  message: string(),
  state: InviteState,
  invited_by: type({ id: Id, name: string() }),
  expires_at: Timestamp,
  last_sent_at: Timestamp,
  send_count: integer(),
}

export const Invite = type({ ...facts, base_role: BaseRole })
export type Invite = Infer<typeof Invite>
/** The same into a personal project, with one of the roles of guests. */
export const ProjectInvite = type({ ...facts, base_role: ProjectRole })
export type ProjectInvite = Infer<typeof ProjectInvite>

/** Only the answer that creates or sends an invite and its mail contain the link. */
const link = { accept_url: string() }
const refusals = ['already_member', 'already_invited', 'seat_limit'] as const
const Failed = type({ email: string(), code: enums(refusals) })
export type InviteRefusal = Infer<typeof Failed>

const Email = refine(
  text('E-mail', { max: 254 }),
  'email',
  (value) => emailForm.test(value) || `Enter a valid email address: ${value.slice(0, 64)} is not one`,
)
const repeated = (list: readonly string[]) => {
  const seen = new Set<string>()
  return list.find((email) => seen.has(email.toLowerCase()) || !seen.add(email.toLowerCase()))
}
const few = boundedList(
  Email,
  inviteLimits.emails,
  (count) => `Invite ${inviteLimits.emails} people at a time; these are ${count}`,
)
const some = refine(few, 'required', (value) => value.length > 0 || 'E-mail addresses are required')
const emails = refine(some, 'duplicate', (value) => {
  const twice = repeated(value)
  return twice === undefined || `${twice} is listed twice`
})

const asked = { emails, message: optional(text('Message', { min: 0, max: 500, lines: true })) }

/** The form of invites/add: the console validates with it on submit, the server again. */
export const NewInvites = object({ ...asked, base_role: BaseRole })
export const NewProjectInvites = object({ ...asked, base_role: ProjectRole })

const query = object(listQuery)

/** How many seats the plan has here and how many are used. An open invite uses a seat. */
export const Seats = type({ plan: Plan, limit: integer(), taken: integer(), invited: integer() })
export type Seats = Infer<typeof Seats>

export const invites = endpoint({
  method: 'GET',
  path: '/organizations/:organizationId/invites',
  summary: 'List the invites of an organization with their states, and the seats of its plan.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'none',
  rate: 'read',
  query,
  answer: type({ ...listOf('invites', Invite).schema, seats: Seats }),
})
export const createInvites = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/invites',
  summary:
    "Invite people by mail, at most with the caller's own role. Each address that was not invited is listed with the reason.",
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'invite.create',
  rate: 'write',
  body: NewInvites,
  answer: type({ invites: array(type({ ...Invite.schema, ...link })), failed: array(Failed) }),
  status: 201,
})
export const resendInvite = endpoint({
  method: 'POST',
  path: '/organizations/:organizationId/invites/:inviteId/resend',
  summary: 'Send an invite again with a new link, valid for seven days. The previous link stops working. 429 after five times.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'invite.resend',
  rate: 'write',
  answer: type({ ...Invite.schema, ...link }),
})
export const revokeInvite = endpoint({
  method: 'DELETE',
  path: '/organizations/:organizationId/invites/:inviteId',
  summary: 'Revoke an invite. Its link stops working.',
  needs: requires(inOrganization, 'organization:manage_members'),
  audit: 'invite.revoke',
  rate: 'write',
  answer: 'none',
})

export const projectInvites = endpoint({
  method: 'GET',
  path: '/projects/:projectId/invites',
  summary: 'List the invites of a personal project, and the seats of its plan. 409 organization_owned for other projects.',
  needs: requires(inProject, 'project:manage_members'),
  tokens: false,
  audit: 'none',
  rate: 'read',
  query,
  answer: type({ ...listOf('invites', ProjectInvite).schema, seats: Seats }),
})
export const createProjectInvites = endpoint({
  method: 'POST',
  path: '/projects/:projectId/invites',
  summary: 'Invite guests into a personal project.',
  needs: requires(inProject, 'project:manage_members'),
  tokens: false,
  audit: 'invite.create',
  rate: 'write',
  body: NewProjectInvites,
  answer: type({ invites: array(type({ ...ProjectInvite.schema, ...link })), failed: array(Failed) }),
  status: 201,
})
export const resendProjectInvite = endpoint({
  method: 'POST',
  path: '/projects/:projectId/invites/:inviteId/resend',
  summary: 'Send an invite again with a new link.',
  needs: requires(inProject, 'project:manage_members'),
  tokens: false,
  audit: 'invite.resend',
  rate: 'write',
  answer: type({ ...ProjectInvite.schema, ...link }),
})
export const revokeProjectInvite = endpoint({
  method: 'DELETE',
  path: '/projects/:projectId/invites/:inviteId',
  summary: 'Revoke an invite. Its link stops working.',
  needs: requires(inProject, 'project:manage_members'),
  tokens: false,
  audit: 'invite.revoke',
  rate: 'write',
  answer: 'none',
})

export const invite = endpoint({
  method: 'GET',
  path: '/invites/:inviteToken',
  summary: 'Get the invite of a link. Needs no session.',
  needs: publicAccess,
  audit: 'none',
  rate: 'read',
  answer: type({
    organization_name: nullable(string()),
    project_name: nullable(string()),
    inviter_name: string(),
    email_masked: string(),
    base_role: string(),
    state: InviteState,
    expires_at: Timestamp,
  }),
})
export const acceptInvite = endpoint({
  method: 'POST',
  path: '/invites/:inviteToken/accept',
  summary: 'Accept an invite. 409 wrong_account when it was sent to another address.',
  needs: session,
  audit: 'invite.accept',
  rate: 'write',
  answer: type({ organization_id: nullable(string()), project_id: nullable(Id) }),
})
export const declineInvite = endpoint({
  method: 'POST',
  path: '/invites/:inviteToken/decline',
  summary: 'Decline an invite. Its link stops working.',
  needs: session,
  audit: 'invite.decline',
  rate: 'write',
  answer: 'none',
})
