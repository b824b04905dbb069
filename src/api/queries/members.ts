import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { accessRequests } from '../../../contract/access-requests'
import { type Guest, projectMember, projectMembers } from '../../../contract/guests'
import { type Invite, invites, type ProjectInvite, projectInvites } from '../../../contract/invites'
import { type Member, member, members } from '../../../contract/members'
import type { Api } from '../client'

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

export const memberListQuery = (api: Api, home: MemberScope, ask: Ask = {}) =>
  infiniteQueryOptions({
    queryKey: ['members', home, 'list', ask],
    initialPageParam: first as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<'members', Person>> => {
      const options = { query: queryOf(ask, pageParam), signal }
      return 'projectId' in home ? api(projectMembers, home, options) : api(members, home, options)
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

export const memberQuery = (api: Api, home: MemberScope, memberId: string) =>
  queryOptions({
    queryKey: ['members', home, 'one', memberId],
    queryFn: ({ signal }): Promise<Person> =>
      'projectId' in home
        ? api(projectMember, { ...home, memberId }, { signal })
        : api(member, { ...home, memberId }, { signal }),
  })

export const inviteListQuery = (api: Api, home: MemberScope, ask: Ask = {}) =>
  infiniteQueryOptions({
    queryKey: ['invites', home, ask],
    initialPageParam: first as string | undefined,
    queryFn: ({ pageParam, signal }): Promise<Page<'invites', AnyInvite>> => {
      const options = { query: queryOf(ask, pageParam), signal }
      return 'projectId' in home ? api(projectInvites, home, options) : api(invites, home, options)
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

/** The seats of the plan. Always requested again: plans and invites change elsewhere. */
export const seatsQuery = (api: Api, home: MemberScope) =>
  queryOptions({
    queryKey: ['invites', home, 'seats'],
    queryFn: async ({ signal }) => {
      const options = { query: { limit: 1 }, signal }
      const { seats } = 'projectId' in home ? await api(projectInvites, home, options) : await api(invites, home, options)
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
