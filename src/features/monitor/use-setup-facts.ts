import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Overview } from '../../../contract/monitor'
import { signingKeysQuery } from '../../api/queries/keys'
import { inviteListQuery, memberListQuery, type MemberScope } from '../../api/queries/members'
import { releasesQuery } from '../../api/queries/releases'
import { projectRolloutsQuery } from '../../api/queries/rollouts'
import { dueIn, paces } from '../../api/refresh'
import { useAllowed } from '../../system/grants'
import { scopeFromPath } from '../../system/scope'
import { useSystem } from '../../system/system'
import type { SetupFacts } from './setup-steps'

/** Refetches until the answer has what the step needs. */
const until =
  <T>(count: (data: T) => number, least = 1) =>
  ({ state }: { state: { data: T | undefined } & Parameters<typeof dueIn>[0] }) =>
    (state.data === undefined || count(state.data) < least) && dueIn(state, paces.list)

type Pages<P> = { pages: readonly P[] }

/** The total of a list is null beyond 1,000. */
const totalOf = ({ pages: [first] }: Pages<{ total: number | null }>) => (first ? (first.total ?? Infinity) : 0)

const countSigned = ({ pages }: Pages<{ releases: readonly { signatures: readonly unknown[] }[] }>) =>
  pages.flatMap(({ releases }) => releases).filter(({ signatures }) => signatures.length > 0).length

type Key = { state: string; purpose: string }
const canSign = ({ state, purpose }: Key) => (state === 'active' || state === 'retiring') && purpose !== 'secure_boot'
const countKeys = (keys: readonly Key[]) => keys.filter(canSign).length

/** Requests only what earlier answers leave open: of a project that is set up, its completed rollouts and its members. */
export const useSetupFacts = (counts: Overview['counts']): SetupFacts => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const isPersonal = scopeFromPath(organizationId) === null
  const scope: MemberScope = isPersonal ? { projectId } : { organizationId }
  const mayInvite = useAllowed(isPersonal ? 'project:manage_members' : 'organization:manage_members')

  const { data: rollouts } = useInfiniteQuery({
    ...projectRolloutsQuery(api, projectId, { state: 'completed', limit: 1 }),
    refetchInterval: until(totalOf),
  })
  const { data: releases } = useInfiniteQuery({
    ...releasesQuery(api, projectId),
    enabled: rollouts !== undefined && totalOf(rollouts) === 0,
    refetchInterval: until(countSigned),
  })
  const { data: keys } = useQuery({
    ...signingKeysQuery(api, projectId),
    enabled: releases !== undefined && countSigned(releases) === 0,
    refetchInterval: until(countKeys),
  })
  const { data: members } = useInfiniteQuery({
    ...memberListQuery(api, scope),
    refetchInterval: until(totalOf, 2),
  })
  const { data: invites } = useInfiniteQuery({
    ...inviteListQuery(api, scope),
    enabled: mayInvite && members !== undefined && totalOf(members) < 2,
  })
  const invited = invites?.pages.flatMap((page) => page.invites).filter(({ state }) => state === 'pending') ?? []

  return {
    keys: keys && countKeys(keys),
    devices: { total: counts.total, seen: counts.total - counts.never_seen },
    releases: releases && { total: totalOf(releases), signed: countSigned(releases) },
    rollouts: rollouts && { open: rollouts.pages[0]?.groups.open ?? 0, completed: totalOf(rollouts) },
    people: members && { members: totalOf(members), invited: invited.length },
  }
}
