import { useSuspenseQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { organizationsQuery } from '../../api/queries/organizations'
import { useSystem } from '../../system/system'
import { EmptyState } from '../../ui/notice'
import { Page, PageHead } from '../../ui/page'
import * as Table from '../../ui/table'

const role = css({ w: '120' })

export default function OrganizationsPage() {
  const { api } = useSystem()
  const { data: organizations } = useSuspenseQuery(organizationsQuery(api))
  return (
    <Page>
      <PageHead title="Organizations" count={organizations.length || undefined} />
      {organizations.length === 0 ? (
        <EmptyState title="Not Found">You are in no organization. Your own projects are under No Organization.</EmptyState>
      ) : (
        <Table.Root caption="Organizations">
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th className={role}>Role</Table.Th>
            <Table.Th className={role}>Plan</Table.Th>
          </Table.Head>
          <Table.Body>
            {organizations.map(({ public_id: organizationId, name, base_role, plan }) => (
              <Table.Row key={organizationId}>
                <Table.Cell>
                  <Link to="/organizations/$organizationId/projects" params={{ organizationId }} className={link()} data-ink>
                    {name}
                  </Link>
                </Table.Cell>
                <Table.Cell>{base_role}</Table.Cell>
                <Table.Cell>{plan}</Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Page>
  )
}
