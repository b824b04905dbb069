import { mutationOptions, type QueryClient } from '@tanstack/react-query'
import { create, type Infer } from 'superstruct'
import {
  createAccessRequest,
  denyAccessRequest,
  grantAccessRequest,
  type NewAccessRequest,
} from '../../../../contract/accounts/access-requests'
import { removeProjectMember, updateProjectMember } from '../../../../contract/accounts/guests'
import {
  createInvites,
  createProjectInvites,
  resendInvite,
  resendProjectInvite,
  revokeInvite,
  revokeProjectInvite,
} from '../../../../contract/accounts/invites'
import { removeMember, updateMember } from '../../../../contract/accounts/members'
import { BaseRole, ProjectRole } from '../../../../contract/core/roles'
import type { Api } from '../../client'
import type { AnyInvite, MemberScope, Person } from '../../queries/accounts/members'
import { type Keyed, keyOf } from '../keyed'

type Role = BaseRole | ProjectRole

/** Requests the lists again, and the counts of the organization. */
const renew = (client: QueryClient, scope: MemberScope) =>
  Promise.all([
    client.invalidateQueries({ queryKey: ['members', scope] }),
    client.invalidateQueries({ queryKey: ['invites', scope] }),
    'organizationId' in scope && client.invalidateQueries({ queryKey: ['organization', scope.organizationId] }),
    'organizationId' in scope && client.invalidateQueries({ queryKey: ['organizations'] }),
  ])

type RoleInProject = { projectId: string; role: ProjectRole | null; expected: ProjectRole | null }

export const changeRoleMutation = (api: Api, scope: MemberScope) =>
  mutationOptions({
    mutationFn: ({ memberId, role, expected }: { memberId: string; role: Role; expected: Role }): Promise<Person> =>
      'projectId' in scope
        ? api(
            updateProjectMember,
            { ...scope, memberId },
            { body: { base_role: create(role, ProjectRole), expected_base_role: create(expected, ProjectRole) } },
          )
        : api(
            updateMember,
            { ...scope, memberId },
            { body: { base_role: create(role, BaseRole), expected_base_role: create(expected, BaseRole) } },
          ),
    onSettled: (_done, _error, _input, _kept, { client }) => renew(client, scope),
  })

/** `expected`: the role that is to change. Sets the role of a member in one project; null: that of the organization. */
export const changeProjectRoleMutation = (api: Api, organizationId: string) =>
  mutationOptions({
    mutationFn: ({ memberId, projectId, role, expected }: RoleInProject & { memberId: string }) =>
      api(
        updateMember,
        { organizationId, memberId },
        { body: { project_roles: [{ project_id: projectId, role, expected_role: expected }] } },
      ),
    onSettled: (_done, _error, _input, _kept, { client }) => renew(client, { organizationId }),
  })

export const removeMemberMutation = (api: Api, scope: MemberScope) =>
  mutationOptions({
    mutationFn: (memberId: string) =>
      'projectId' in scope ? api(removeProjectMember, { ...scope, memberId }) : api(removeMember, { ...scope, memberId }),
    onSuccess: (_done, _input, _kept, { client }) => renew(client, scope),
  })

export type NewInvites = { emails: string[]; base_role: Role; message?: string | undefined }
export type SentInvite = { id: string; email: string; accept_url: string }
type Sent = { invites: SentInvite[]; failed: { email: string; code: string }[] }

export const createInvitesMutation = (api: Api, scope: MemberScope) =>
  mutationOptions({
    mutationFn: (input: Keyed<NewInvites>): Promise<Sent> => {
      const { base_role: role, ...rest } = input.body
      return 'projectId' in scope
        ? api(createProjectInvites, scope, { body: { ...rest, base_role: create(role, ProjectRole) }, ...keyOf(input) })
        : api(createInvites, scope, { body: { ...rest, base_role: create(role, BaseRole) }, ...keyOf(input) })
    },
    onSuccess: (_sent, _input, _kept, { client }) => renew(client, scope),
  })

export const resendInviteMutation = (api: Api, scope: MemberScope) =>
  mutationOptions({
    mutationFn: ({ inviteId, ...input }: { inviteId: string; idempotencyKey?: string }): Promise<SentInvite> =>
      'projectId' in scope
        ? api(resendProjectInvite, { ...scope, inviteId }, keyOf(input))
        : api(resendInvite, { ...scope, inviteId }, keyOf(input)),
    onSettled: (_done, _error, _input, _kept, { client }) => renew(client, scope),
  })

export const revokeInviteMutation = (api: Api, scope: MemberScope) =>
  mutationOptions({
    mutationFn: ({ id: inviteId }: AnyInvite) =>
      'projectId' in scope ? api(revokeProjectInvite, { ...scope, inviteId }) : api(revokeInvite, { ...scope, inviteId }),
    onSuccess: (_done, _input, _kept, { client }) => renew(client, scope),
  })

export const createAccessRequestMutation = (api: Api, organizationId: string) =>
  mutationOptions({
    mutationFn: (input: Keyed<Infer<typeof NewAccessRequest>>) =>
      api(createAccessRequest, { organizationId }, { body: input.body, ...keyOf(input) }),
  })

type Decision = { accessRequestId: string; role: BaseRole | null }

/** Grants with a role, or denies without one. */
export const decideAccessRequestMutation = (api: Api, organizationId: string) =>
  mutationOptions({
    mutationFn: ({ accessRequestId, role }: Decision) =>
      role === null
        ? api(denyAccessRequest, { organizationId, accessRequestId })
        : api(grantAccessRequest, { organizationId, accessRequestId }, { body: { base_role: role } }),
    onSettled: (_done, _error, _input, _kept, { client }) =>
      Promise.all([
        renew(client, { organizationId }),
        client.invalidateQueries({ queryKey: ['access-requests', organizationId] }),
      ]),
  })
