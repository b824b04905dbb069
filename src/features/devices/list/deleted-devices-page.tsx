import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { deletedDeviceDays, type Device } from '../../../../contract/fleet/devices'
import { deviceActionMutation } from '../../../api/mutations/fleet/devices'
import { devicesQuery } from '../../../api/queries/fleet/devices'
import { paces } from '../../../api/refresh'
import { BackLink } from '../../../system/page/back'
import { useRefusal } from '../../../system/scope/grants'
import type { LoaderArgs } from '../../../system/scope/guard'
import { useList } from '../../../system/list/list'
import { ListPage } from '../../../system/list/list-page'
import { notify } from '../../../system/failure/notify'
import { useSystem } from '../../../system/system'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { Button } from '../../../ui/button'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { PageHead } from '../../../ui/layout/page'
import * as Table from '../../../ui/list/table'
import { DateTime, RelativeTime } from '../../../ui/text/time'
import { roomyOnly } from './device-columns'
import { restorableUntil } from '../../../lib/restorable-until'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/deleted')
const filters = { deleted: 'true', sort: '-deleted_at' } as const

const DeletedRow = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const refused = useRefusal('project:manage_devices')
  const restore = useMutation({ ...deviceActionMutation(api), onError: notifyFailed })
  const run = async () => {
    const restored = await restore.mutateAsync({ device, action: 'restore' }).catch(() => undefined)
    if (restored) void notify({ kind: 'success', text: `${restored.name} was restored` })
  }
  return (
    <Table.Row>
      <Table.Cell at="lead">
        <code title={device.name}>{device.name}</code>
      </Table.Cell>
      <Table.Cell mono quiet className={roomyOnly}>
        {device.serial_number ?? '–'}
      </Table.Cell>
      <Table.Cell mono quiet className={roomyOnly}>
        {device.hardware_model}
      </Table.Cell>
      <Table.Cell quiet at="sub">
        <RelativeTime value={device.deleted_at} />
      </Table.Cell>
      <Table.Cell className={roomyOnly}>
        {device.deleted_at !== null && <DateTime value={restorableUntil(device.deleted_at)} />}
      </Table.Cell>
      <Table.Cell align="end" at="end" className={css({ py: '0' })}>
        <Button size="small" refused={refused} busy={restore.isPending} busyLabel="Restoring..." onClick={() => void run()}>
          Restore
        </Button>
      </Table.Cell>
    </Table.Row>
  )
}

/** Not awaited: the page shows its head at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(devicesQuery(api, params.projectId, filters))

/** The deleted devices of a project that can be restored, the last deleted first. */
export default function DeletedDevicesPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const list = useList(devicesQuery(api, params.projectId, filters), { rows: (page) => page.devices, pace: paces.list })
  return (
    <ListPage
      list={list}
      head={
        <PageHead
          title="Deleted Devices"
          crumbs={[
            <BackLink key="list" to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
              Devices
            </BackLink>,
            'Deleted',
          ]}
        />
      }
      emptyState={
        <EmptyState small title="Not Found">
          A deleted device can be restored here for {deletedDeviceDays} days.
        </EmptyState>
      }
    >
      <ListTable
        caption="Deleted devices"
        list={list}
        columns={6}
        skeletons={4}
        narrowHeight={77}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th className={roomyOnly}>Serial number</Table.Th>
            <Table.Th className={roomyOnly}>Model</Table.Th>
            <Table.Th className={css({ w: '112' })}>Deleted</Table.Th>
            <Table.Th className={roomyOnly}>Can be restored until</Table.Th>
            <Table.Th className={css({ w: '112' })} aria-label="Restore" />
          </>
        }
      >
        {(device) => <DeletedRow key={device.id} device={device} />}
      </ListTable>
    </ListPage>
  )
}
