import { useQuery, useSuspenseQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { EnrollmentToken } from '../../../contract/access'
import { enrollmentTokensQuery } from '../../api/queries/enrollment-tokens'
import { projectQuery } from '../../api/queries/projects'
import { dueIn, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import { useSystem } from '../../system/system'
import { Status } from '../../ui/chip'
import { Freshness } from '../../ui/freshness'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../ui/panel'
import * as Table from '../../ui/table'
import { DateTime } from '../../ui/time'

const looks = { active: 'success', expired: 'none', used_up: 'none', revoked: 'error' } as const
const words = { active: 'Active', expired: 'Expired', used_up: 'Used up', revoked: 'Revoked' } as const

const narrowOnly = css({ hideFrom: 'md' })

/** The enrollment tokens without their secrets, which were shown once. */
export const EnrollmentTokens = ({ projectId }: { projectId: string }) => {
  const { api } = useSystem()
  const query = useQuery({
    ...enrollmentTokensQuery(api, projectId),
    refetchInterval: ({ state }) => dueIn(state, paces.list),
  })
  const { data: tokens, error, refetch } = query
  const { data: project } = useSuspenseQuery(projectQuery(api, projectId))
  // The stricter of the two settings counts (server/fleet/enrollment/enroll.ts).
  const isLetIn = (token: EnrollmentToken) => token.auto_accept && project.settings.auto_accept_devices
  return (
    <Panel flush title="Enrollment tokens" aside={<Freshness query={query} />}>
      {!tokens &&
        (error ? (
          <PanelBody>
            <FailureBox error={error} onRetry={() => void refetch()} />
          </PanelBody>
        ) : (
          <PanelSkeletons rows={2} />
        ))}
      {tokens?.length === 0 && <PanelRow>Not Found. The config generator creates one for each group configuration.</PanelRow>}
      {tokens && tokens.length > 0 && (
        <Table.Root caption="Enrollment tokens" auto scroll stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Begins with</Table.Th>
            <Table.Th>Model</Table.Th>
            <Table.Th>New devices</Table.Th>
            <Table.Th align="end">Uses</Table.Th>
            <Table.Th>Expires</Table.Th>
          </Table.Head>
          <Table.Body>
            {tokens.map((token) => (
              <Table.Row key={token.id} dimmed={token.state !== 'active'}>
                <Table.Cell at="lead">{token.name}</Table.Cell>
                <Table.Cell at="end">
                  <Status shape={looks[token.state]}>{words[token.state]}</Status>
                </Table.Cell>
                <Table.Cell mono quiet at="sub">
                  {token.prefix}…
                  <span className={narrowOnly}>{isLetIn(token) ? ', accepted automatically' : ', accepted manually'}</span>
                </Table.Cell>
                <Table.Cell mono quiet>
                  {token.hardware_model ?? 'any'}
                </Table.Cell>
                <Table.Cell quiet>{isLetIn(token) ? 'Accepted automatically' : 'Accepted manually'}</Table.Cell>
                <Table.Cell align="end" at="subEnd">
                  <span className={narrowOnly}>Used </span>
                  {token.max_uses === null ? token.uses : `${token.uses} of ${token.max_uses}`}
                </Table.Cell>
                <Table.Cell>
                  <DateTime value={token.expires_at} never="Never" />
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Panel>
  )
}
