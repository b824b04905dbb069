import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, useRouter } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { type Permission, permissions, permissionWords } from '../../../contract/core/permissions'
import { projectRolePermissions } from '../../../contract/accounts/project-permissions'
import { roleDescriptions } from '../../../contract/accounts/role-descriptions'
import { memberQuery } from '../../api/queries/accounts/members'
import { BackLink } from '../../system/page/back'
import type { LoaderArgs } from '../../system/scope/guard'
import { scopeFromPath } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { FactStrip } from '../../ui/layout/facts'
import { Page, PageHead } from '../../ui/layout/page'
import { Panel } from '../../ui/layout/panel'
import { DateTime, RelativeTime } from '../../ui/text/time'
import { memberScopeFrom, useMemberScope } from './member-scope'
import { useProjectName } from './project-people'
import { RemoveControl } from './remove-control'
import { nameOf, RoleControl } from './role-control'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/members/list/$memberId')
const list = '/organizations/$organizationId/projects/$projectId/members/list' as const
const stack = css({ display: 'grid', gap: '12' })
const names = css({ display: 'flex', flexWrap: 'wrap', columnGap: '16', rowGap: '4', color: 'text2' })

const heldBy = (role: string): readonly Permission[] =>
  role === 'maintainer' || role === 'operator' || role === 'viewer'
    ? projectRolePermissions[role]
    : permissions.filter((permission) => !permission.startsWith('organization:'))

export const load = async ({
  context: { api, queryClient },
  params,
}: LoaderArgs<'organizationId' | 'projectId' | 'memberId'>) => {
  if (scopeFromPath(params.organizationId) !== null) return undefined
  return { name: nameOf(await queryClient.ensureQueryData(memberQuery(api, memberScopeFrom(params), params.memberId))) }
}

/** One person of a personal project: since when, invited by whom, and their permissions. */
export default function ProjectMemberPage() {
  const { api } = useSystem()
  const { navigate } = useRouter()
  const params = route.useParams()
  const place = useProjectName()
  const { data: person } = useSuspenseQuery(memberQuery(api, useMemberScope(), params.memberId))
  const name = nameOf(person)
  return (
    <Page>
      <PageHead
        crumbs={[
          <BackLink key="list" to={list} params={params}>
            Members
          </BackLink>,
          name,
        ]}
        title={name}
        actions={
          <RemoveControl person={person} place={place} onRemoved={() => void navigate({ to: list, params, replace: true })} />
        }
      />
      <FactStrip
        facts={[
          { label: 'E-mail', value: person.user.email },
          { label: 'Joined', value: <DateTime value={person.joined_at} /> },
          { label: 'Last active', value: <RelativeTime value={person.last_active_at} never="never" /> },
          { label: 'Invited by', value: person.invited_by?.name ?? '–' },
          { label: 'Two-step sign-in', value: person.mfa_enabled ? 'On' : 'Off' },
        ]}
      />
      <div className={css({ pt: '16' })}>
        <Panel title="Role" aside={<RoleControl person={person} />}>
          <div className={stack}>
            <p>{roleDescriptions[person.base_role]}</p>
            <ul className={names}>
              {heldBy(person.base_role).map((permission) => (
                <li key={permission}>{permissionWords(permission)}</li>
              ))}
            </ul>
          </div>
        </Panel>
      </div>
    </Page>
  )
}
