import { useSuspenseQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import type { OrganizationSummary } from '../../../contract/accounts/organizations'
import { formatCount } from '../../lib/amounts'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { every, paces } from '../../api/refresh'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { Icon } from '../../ui/icon/icon'
import { EmptyState } from '../../ui/layout/notice'
import { Page, PageHead } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'

const failed = css({ mb: '16', _empty: { mb: '0' } })
const column = css({ w: '120' })
const roomyOnly = css({ hideBelow: 'lg' })
const one = '/account/settings/organizations/list/$organizationId/summary' as const

const Add = () => (
  <Link to="/account/settings/organizations/add" className={button({ variant: 'primary' })}>
    <Icon name="plus" />
    Add organization
  </Link>
)

const OrganizationRow = ({ organization }: { organization: OrganizationSummary }) => {
  const { public_id: organizationId, name, base_role: role, plan, member_count: people } = organization
  const navigate = useNavigate()
  const params = { organizationId }
  return (
    <Table.Row onOpen={() => void navigate({ to: one, params })}>
      <Table.Cell at="lead" title={name}>
        <Link to={one} params={params} className={link()} data-ink>
          {name}
        </Link>
      </Table.Cell>
      <Table.Cell at="sub">{role}</Table.Cell>
      <Table.Cell at="end" className={css({ mdDown: { textAlign: 'right' } })}>
        {plan}
      </Table.Cell>
      <Table.Cell align="end" at="subEnd">
        {formatCount(people)}
        <span className={css({ hideFrom: 'md' })}>{people === 1 ? ' member' : ' members'}</span>
      </Table.Cell>
      <Table.Cell align="end" menu className={roomyOnly}>
        <Link
          to="/organizations/$organizationId/projects"
          params={params}
          className={button({ variant: 'ghost', size: 'small' })}
          aria-label={`Projects of ${name}`}
        >
          Projects
        </Link>
      </Table.Cell>
    </Table.Row>
  )
}

/** The user's organizations, with their role in each. */
export default function OrganizationsPage() {
  const { api } = useSystem()
  const query = useSuspenseQuery({
    ...organizationsQuery(api),
    refetchInterval: every(paces.list),
  })
  const organizations = query.data
  return (
    <Page>
      <PageHead title="Organizations" count={organizations.length || undefined} actions={<Add />} />
      <div className={failed}>
        <RefreshFailed query={query} />
      </div>
      {organizations.length === 0 ? (
        <EmptyState title="Not Found" action={<Add />}>
          You are not a member of an organization. Your own projects are under No Organization. Add an organization to work with
          others.
        </EmptyState>
      ) : (
        <Table.Root caption="Organizations" stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th className={column}>Your role</Table.Th>
            <Table.Th className={column}>Plan</Table.Th>
            <Table.Th align="end" className={column}>
              Members
            </Table.Th>
            <Table.Th className={cx(column, roomyOnly)} aria-label="Projects" />
          </Table.Head>
          <Table.Body>
            {organizations.map((organization) => (
              <OrganizationRow key={organization.public_id} organization={organization} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Page>
  )
}
