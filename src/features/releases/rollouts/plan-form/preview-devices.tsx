import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { listLimit } from '../../../../../contract/core/limits'
import type { PreviewDevice, RolloutPreview } from '../../../../../contract/updates/rollout-plans'
import { type PreviewFilters, type PreviewPlan, previewDevicesQuery } from '../../../../api/queries/updates/rollouts'
import { formatCount } from '../../../../lib/amounts'
import { FailureBox } from '../../../../system/failure/failure-box'
import { useList } from '../../../../system/list/list'
import { useSystem } from '../../../../system/system'
import { Status } from '../../../../ui/text/chip'
import { SearchInput } from '../../../../ui/form/input'
import { ListTable } from '../../../../ui/list/list-table'
import { EmptyState } from '../../../../ui/layout/notice'
import { Select } from '../../../../ui/form/select'
import * as Table from '../../../../ui/list/table'
import { describeExclusion } from './preview-text'
import { useSettled } from './use-settled'

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

const whyOf = ({ reason, text, observed, required, paused_until: paused }: PreviewDevice) =>
  reason === null
    ? paused === null
      ? 'Passes all checks'
      : 'Paused: waits for the end of its pause'
    : `${text ?? describeExclusion(reason)} (${observed ?? '–'}; required: ${required ?? '–'})`

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
    <Table.Cell quiet at="subEnd" title={whyOf(device)}>
      {whyOf(device)}
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
  const filters = { preview_hash: preview.preview_hash, ...choice?.filter, ...(q !== '' && { q }), limit: listLimit.max }
  const list = useList(previewDevicesQuery(api, releaseId, plan, filters), { rows: (page) => page.devices, pace: null })
  return (
    <section aria-label="Devices of the preview">
      <div className={bar}>
        <h2 className={css({ textStyle: 'heading' })}>Each device</h2>
        <SearchInput label="Filter by name" value={typed} onChange={(event) => setTyped(event.target.value)} small />
        <Select small label="Which devices" items={choices} value={choice?.value ?? 'all'} onValueChange={setChosen} />
      </div>
      {list.error && list.rows.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isEmpty ? (
        <EmptyState small title="Not Found" />
      ) : (
        <ListTable
          caption="Devices of the preview"
          list={list}
          columns={5}
          skeletons={4}
          head={
            <>
              <Table.Th>Name</Table.Th>
              <Table.Th className={cx(css({ w: '160' }), roomyOnly)}>Model</Table.Th>
              <Table.Th className={css({ w: '112' })}>Version</Table.Th>
              <Table.Th className={css({ w: '112' })}>In or out</Table.Th>
              <Table.Th>Why</Table.Th>
            </>
          }
        >
          {(device) => <DeviceRow key={device.id} device={device} params={params} />}
        </ListTable>
      )}
    </section>
  )
}
