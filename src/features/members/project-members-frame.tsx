import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { button } from 'styled-system/recipes'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import type { LoaderArgs } from '../../system/scope/guard'
import { scopeFromPath } from '../../system/scope/scope'
import { useSystem } from '../../system/system'
import { EmptyState } from '../../ui/layout/notice'
import { Page, PageHead } from '../../ui/layout/page'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/members')

export const load = ({ context: { api, queryClient } }: LoaderArgs) => queryClient.ensureQueryData(organizationsQuery(api))

/** R6: the members of an organization are those of its projects, so there is a note with a link. */
const OrganizationOwned = ({ organizationId }: { organizationId: string }) => {
  const { api } = useSystem()
  const { data: organizations } = useSuspenseQuery(organizationsQuery(api))
  const name = organizations.find((one) => one.public_id === organizationId)?.name ?? 'the organization'
  return (
    <Page>
      <PageHead title="Members" />
      <EmptyState
        title={`This project belongs to ${name}`}
        action={
          <Link
            to="/account/settings/organizations/list/$organizationId/members"
            params={{ organizationId }}
            className={button({ variant: 'primary' })}
          >
            Show its members
          </Link>
        }
      >
        All members of the organization have access to its projects, according to their role, or to another role that they have in
        one project. Manage roles and invites in the organization.
      </EmptyState>
    </Page>
  )
}

export default function ProjectMembersFrame(): ReactNode {
  const { organizationId } = route.useParams()
  return scopeFromPath(organizationId) === null ? <Outlet /> : <OrganizationOwned organizationId={organizationId} />
}
