import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { accessRequests } from '../../../../contract/accounts/access-requests'
import { type Guest, projectMember, projectMembers } from '../../../../contract/accounts/guests'
import { type Invite, invites, type ProjectInvite, projectInvites } from '../../../../contract/accounts/invites'
import { type Member, member, members } from '../../../../contract/accounts/members'
import { previewRoleChange, type RoleChange } from '../../../../contract/accounts/role-changes'
import type { BaseRole } from '../../../../contract/core/roles'
import type { Api } from '../../client'

/** The organization or personal project whose members are listed. */
export type MemberScope = { organizationId: string } | { projectId: string }
export type Person = Member | Guest
export type AnyInvite = Invite | ProjectInvite

type Page<K extends string, T> = { [P in K]: T[] } & { next_cursor: string | null; total: number | null }
type Ask = { q?: string }

const first: string | undefined = undefined
const queryOf = ({ q }: Ask, cursor: string | undefined) => ({
  ...(q !== undefined && { q }),
  ...(cursor !== undefined && { cursor }),
})

export const memberListQuery = (api: Api, scope: MemberScope, ask: Ask = {}) =>
  infiniteQueryOptions({
    queryKey: ['members', scope, 'list', ask],
    initialPageParam: first as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<'members', Person>> => {
      const options = { query: queryOf(ask, pageParam), signal }
      return 'projectId' in scope ? api(projectMembers, scope, options) : api(members, scope, options)
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const memberQuery = (api: Api, scope: MemberScope, memberId: string) =>
  queryOptions({
    queryKey: ['members', scope, 'one', memberId],
    queryFn: ({ signal }): Promise<Person> =>
      'projectId' in scope
        ? api(projectMember, { ...scope, memberId }, { signal })
        : api(member, { ...scope, memberId }, { signal }),
  })

export const inviteListQuery = (api: Api, scope: MemberScope, ask: Ask = {}) =>
  infiniteQueryOptions({
    queryKey: ['invites', scope, ask],
    initialPageParam: first as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<'invites', AnyInvite>> => {
      const options = { query: queryOf(ask, pageParam), signal }
      return 'projectId' in scope ? api(projectInvites, scope, options) : api(invites, scope, options)
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** The seats of the plan. Always requested again: plans and invites change elsewhere. */
export const seatsQuery = (api: Api, scope: MemberScope) =>
  queryOptions({
    queryKey: ['invites', scope, 'seats'],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: 1 }, signal }
      const { seats } = 'projectId' in scope ? await api(projectInvites, scope, options) : await api(invites, scope, options)
      return seats
    },
    staleTime: 0,
    refetchOnWindowFocus: true,
  })

export const openRequestsQuery = (api: Api, organizationId: string) =>
  queryOptions({
    queryKey: ['access-requests', organizationId],
    queryFn: async ({ signal }) =>
      (await api(accessRequests, { organizationId }, { query: { state: 'open' }, signal })).access_requests,
  })

/** What a member has made that a role, or without one their removal, stops. Always asked again: it is for a question. */
export const roleChangeQuery = (api: Api, organizationId: string, memberId: string, role: BaseRole | undefined) =>
  queryOptions({
    queryKey: ['members', { organizationId }, 'role-change', memberId, role ?? null],
    queryFn: ({ signal }): Promise<RoleChange> =>
      api(previewRoleChange, { organizationId, memberId }, { query: role === undefined ? {} : { base_role: role }, signal }),
    staleTime: 0,
    gcTime: 0,
  })
