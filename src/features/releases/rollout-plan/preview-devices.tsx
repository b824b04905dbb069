import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { PreviewDevice, RolloutPreview } from '../../../../contract/rollout-plans'
import { type PreviewFilters, type PreviewPlan, previewDevicesQuery } from '../../../api/queries/rollouts'
import { formatCount } from '../../../lib/amounts'
import { FailureBox } from '../../../system/failure-box'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/chip'
import { SearchInput } from '../../../ui/input'
import { EmptyState } from '../../../ui/notice'
import { RowSkeletons } from '../../../ui/row-skeletons'
import { Select } from '../../../ui/select'
import * as Table from '../../../ui/table'
import { VirtualRows } from '../../../ui/virtual-rows'
import { describeExclusion } from './preview-text'
import { useSettled } from './use-settled'

const columns = 5
const bar = css({ display: 'flex', alignItems: 'center', flexWrap: 'wrap', gap: '8', pb: '4', pt: '24' })
const roomyOnly = css({ hideBelow: 'lg' })

type Choice = { value: string; label: string; filter: PreviewFilters }

/** All devices, those of one wave, and those that one check excludes. */
const choicesOf = ({ total, waves, excluded }: RolloutPreview): Choice[] => {
  const out = excluded.reduce((sum, { count }) => sum + count, 0)
  return [
    { value: 'all', label: `All ${formatCount(total + out)}`, filter: {} },
    { value: 'included', label: `Included ${formatCount(total)}`, filter: { group: 'included' } },
    ...waves.map(({ n, count }) => ({
      value: `wave ${n}`,
      label: `Wave ${n}: ${formatCount(count)}`,
      filter: { wave: n },
    })),
    { value: 'excluded', label: `Left out ${formatCount(out)}`, filter: { group: 'excluded' } },
    ...excluded.map(({ reason, count }) => ({
      value: reason,
      label: `Left out, ${describeExclusion(reason)}: ${formatCount(count)}`,
      filter: { reason },
    })),
  ]
}

type RowProps = { device: PreviewDevice; params: { organizationId: string; projectId: string } }

const DeviceRow = ({ device, params }: RowProps) => (
  <Table.Row>
    <Table.Cell mono at="lead">
      <Link
        to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
        params={{ ...params, deviceId: device.id }}
        className={link()}
        data-ink
      >
        {device.name}
      </Link>
    </Table.Cell>
    <Table.Cell mono quiet className={roomyOnly}>
      {device.hardware_model}
    </Table.Cell>
    <Table.Cell mono quiet at="end">
      {device.display_version ?? device.version ?? '–'}
    </Table.Cell>
    <Table.Cell at="sub">
      <Status shape={device.reason === null ? 'success' : 'none'}>
        {device.reason === null ? `Wave ${device.wave ?? '–'}` : 'Left out'}
      </Status>
    </Table.Cell>
    <Table.Cell quiet at="subEnd" title={device.text ?? undefined}>
      {device.reason === null
        ? 'Passes all checks'
        : `${device.text ?? describeExclusion(device.reason)} (${device.observed ?? '–'}; required: ${device.required ?? '–'})`}
    </Table.Cell>
  </Table.Row>
)

type Props = RowProps['params'] & { releaseId: string; plan: PreviewPlan; preview: RolloutPreview }

/** Every device of the target: its wave, or the check that leaves it out, as the server decides when the rollout starts. */
export const PreviewDevices = ({ releaseId, plan, preview, ...params }: Props) => {
  const { api } = useSystem()
  const [chosen, setChosen] = useState('all')
  const [typed, setTyped] = useState('')
  const q = useSettled(typed.trim(), 250)
  const choices = choicesOf(preview)
  // A changed plan may not have the chosen wave or reason any more.
  const choice = choices.find(({ value }) => value === chosen) ?? choices[0]
  const filters = { ...choice?.filter, ...(q !== '' && { q }), limit: 100 }
  const query = useInfiniteQuery(previewDevicesQuery(api, releaseId, plan, filters))
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = query
  const rows = data?.pages.flatMap((page) => page.devices) ?? []
  return (
    <section aria-label="Devices of the preview">
      <div className={bar}>
        <h2 className={css({ textStyle: 'heading' })}>Each device</h2>
        <SearchInput label="Filter by name" value={typed} onChange={(event) => setTyped(event.target.value)} small />
        <Select small label="Which devices" items={choices} value={choice?.value ?? 'all'} onValueChange={setChosen} />
      </div>
      {error && rows.length === 0 ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : data && rows.length === 0 ? (
        <EmptyState small title="Not Found" />
      ) : (
        <Table.Root caption="Devices of the preview" stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th className={roomyOnly}>Model</Table.Th>
            <Table.Th className={css({ w: '112' })}>Version</Table.Th>
            <Table.Th className={css({ w: '112' })}>In or out</Table.Th>
            <Table.Th>Why</Table.Th>
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
                return device && <DeviceRow key={device.id} device={device} params={params} />
              }}
            </VirtualRows>
          )}
        </Table.Root>
      )}
    </section>
  )
}
