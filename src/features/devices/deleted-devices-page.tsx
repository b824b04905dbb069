import { useInfiniteQuery, useMutation } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { deletedDeviceDays, type Device } from '../../../contract/devices'
import { deviceActionMutation } from '../../api/mutations/devices'
import { devicesQuery } from '../../api/queries/devices'
import { parseTime } from '../../lib/dates'
import { FailureBox } from '../../system/failure-box'
import { useRefusal } from '../../system/grants'
import type { LoaderArgs } from '../../system/guard'
import { notify } from '../../system/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/notice'
import { Page, PageHead } from '../../ui/page'
import { RowSkeletons } from '../../ui/row-skeletons'
import * as Table from '../../ui/table'
import { DateTime, RelativeTime } from '../../ui/time'
import { VirtualRows } from '../../ui/virtual-rows'
import { roomyOnly } from './device-columns'
import { notifyFailed } from './use-device-steps'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/deleted')
const filters = { deleted: 'true', sort: '-deleted_at' } as const
const columns = 6

const restorableUntil = (deletedAt: string) => {
  const until = parseTime(deletedAt)
  until.setUTCDate(until.getUTCDate() + deletedDeviceDays)
  return until
}

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
      <Table.Cell align="end" at="end">
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
  const query = useInfiniteQuery(devicesQuery(api, params.projectId, filters))
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.devices) ?? []
  return (
    <Page>
      <PageHead
        title="Deleted Devices"
        crumbs={[
          <Link key="list" to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
            Devices
          </Link>,
          'Deleted',
        ]}
      />
      {error && !data && <FailureBox error={error} onRetry={() => void refetch()} />}
      {data && rows.length === 0 && (
        <EmptyState small title="Not Found">
          A deleted device can be restored here for {deletedDeviceDays} days.
        </EmptyState>
      )}
      {(isPending || rows.length > 0) && (
        <Table.Root caption="Deleted devices" stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th className={roomyOnly}>Serial number</Table.Th>
            <Table.Th className={roomyOnly}>Model</Table.Th>
            <Table.Th className={css({ w: '112' })}>Deleted</Table.Th>
            <Table.Th className={roomyOnly}>Can be restored until</Table.Th>
            <Table.Th className={css({ w: '112' })} aria-label="Restore" />
          </Table.Head>
          {isPending ? (
            <RowSkeletons columns={columns} rows={4} />
          ) : (
            <VirtualRows
              stack
              count={rows.length}
              columns={columns}
              onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
            >
              {(index) => {
                const device = rows[index]
                return device && <DeletedRow key={device.id} device={device} />
              }}
            </VirtualRows>
          )}
        </Table.Root>
      )}
    </Page>
  )
}
