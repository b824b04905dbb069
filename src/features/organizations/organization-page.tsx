import { useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link, Outlet } from '@tanstack/react-router'
import { every, paces } from '../../api/refresh'
import { organizationQuery } from '../../api/queries/accounts/organization'
import { formatCount } from '../../lib/amounts'
import { BackLink } from '../../system/page/back'
import { Allowed } from '../../system/scope/allowed'
import type { LoaderArgs } from '../../system/scope/guard'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { Badge } from '../../ui/text/badge'
import { Page, PageHead } from '../../ui/layout/page'
import { tabClass, TabLinks } from '../../ui/layout/tab-links'

const route = getRouteApi('/account/settings/organizations/list/$organizationId')
const place = '/account/settings/organizations/list' as const

export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'organizationId'>) =>
  queryClient.ensureQueryData(organizationQuery(api, params.organizationId))

/** One organization: details, members, invites and audit log. */
export default function OrganizationPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const query = useSuspenseQuery({
    ...organizationQuery(api, params.organizationId),
    // Invites are answered elsewhere.
    refetchInterval: every(paces.fleet),
  })
  const { name, member_count: people } = query.data
  return (
    <Page>
      <PageHead
        crumbs={[
          <BackLink key="list" to={place}>
            Organizations
          </BackLink>,
          name,
        ]}
        title={name}
      />
      <RefreshFailed query={query} />
      <TabLinks label="Organization">
        <Link to={`${place}/$organizationId/summary`} params={params} className={tabClass()}>
          Summary
        </Link>
        <Link to={`${place}/$organizationId/members`} params={params} className={tabClass()}>
          Members <Badge>{formatCount(people)}</Badge>
        </Link>
        <Allowed needs={['organization:manage_members']}>
          <Link to={`${place}/$organizationId/invites`} params={params} className={tabClass()}>
            Invites
          </Link>
        </Allowed>
        <Allowed needs={['organization:view_audit_log']}>
          <Link to={`${place}/$organizationId/audit-log`} params={params} className={tabClass()}>
            Audit Log
          </Link>
        </Allowed>
      </TabLinks>
      <Outlet />
    </Page>
  )
}
