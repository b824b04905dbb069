import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { installationsQuery } from '../../../api/queries/fleet/devices'
import { every, paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'

const padded = css({ px: '16', py: '12', color: 'muted' })

/** The releases that the device has run, newest first. */
export const InstallationsPanel = ({ deviceId }: { deviceId: string }) => {
  const { api } = useSystem()
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const { data, error, refetch } = useQuery({ ...installationsQuery(api, deviceId), refetchInterval: every(paces.list) })
  return (
    <Panel flush title="Installations">
      {error && !data ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <PanelSkeletons rows={2} />
      ) : data.length === 0 ? (
        <p className={padded}>The device has not reported an installed release.</p>
      ) : (
        <Table.Root caption="Installations" dense auto scroll stack>
          <Table.Head>
            <Table.Th>Release</Table.Th>
            <Table.Th>Version</Table.Th>
            <Table.Th>Installed</Table.Th>
            <Table.Th>Slot</Table.Th>
            <Table.Th>State</Table.Th>
          </Table.Head>
          <Table.Body>
            {data.map(({ release_id: id, name, version, display_version, installed_at, slot, confirmed }, index) => (
              <Table.Row key={`${installed_at} ${version} ${index}`} dimmed={index > 0}>
                <Table.Cell at="lead">
                  {id === null ? (
                    (name ?? 'Unknown to this project')
                  ) : (
                    <Link
                      to="/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status"
                      params={{ organizationId, projectId, releaseId: id }}
                      className={link()}
                      data-ink
                    >
                      {name ?? id}
                    </Link>
                  )}
                </Table.Cell>
                <Table.Cell mono at="end">
                  {display_version ?? version}
                </Table.Cell>
                <Table.Cell at="subEnd">
                  <DateTime value={installed_at} />
                </Table.Cell>
                <Table.Cell mono>{slot ?? '–'}</Table.Cell>
                <Table.Cell at="sub">
                  <Status shape={confirmed ? 'success' : 'waiting'}>
                    {index > 0 ? 'Replaced' : confirmed ? 'Running, confirmed' : 'Running, unconfirmed'}
                  </Status>
                </Table.Cell>
              </Table.Row>
            ))}
          </Table.Body>
        </Table.Root>
      )}
    </Panel>
  )
}
