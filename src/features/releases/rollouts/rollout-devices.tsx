import { keepPreviousData } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { Rollout, RolloutDevice } from '../../../../contract/updates/rollouts'
import { rolloutDevicesQuery } from '../../../api/queries/updates/rollouts'
import { paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { parseTime } from '../../../lib/dates'
import { formatDue } from '../../../lib/due'
import { updateDisplay } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useList } from '../../../system/list/list'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { Freshness } from '../../../system/refresh/freshness'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { Progress } from '../../../ui/layout/progress'
import { Segment } from '../../../ui/form/segment'
import * as Table from '../../../ui/list/table'
import { leftOutOf } from './next-step'
import { RelativeTime, useNow } from '../../../ui/text/time'

const bar = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', flexWrap: 'wrap', gap: '8', pb: '4' })
const wideOnly = css({ hideBelow: 'xl' })
// The reason is the text that is read here: it has two lines, and the other columns what they need.
const twoLines = css({ lineClamp: 2 })
const roomyOnly = css({ mdToLg: { display: 'none' } })
type Group = 'all' | 'failed' | 'running' | 'waiting' | 'succeeded' | 'left_out'

/** When a wait ends. */
const Ahead = ({ at }: { at: string }) => {
  const now = useNow()
  return <>, {formatDue(parseTime(at), now)}</>
}

const Returned = ({ rollout_id: rolloutId, version, display_version: display, at }: NonNullable<RolloutDevice['returned']>) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  return (
    <>
      <Link
        to="/organizations/$organizationId/projects/$projectId/releases/rollouts/$rolloutId"
        params={{ organizationId, projectId, rolloutId }}
        className={link()}
      >
        Back at {display ?? `v${version}`}
      </Link>{' '}
      since <RelativeTime value={at} />
    </>
  )
}

const DeviceRow = ({ device }: { device: RolloutDevice }) => {
  const { organizationId = '', projectId = '' } = useParams({ strict: false })
  const params = { organizationId, projectId, deviceId: device.device_id }
  const { shape, word } = updateDisplay(device.state)
  return (
    <Table.Row>
      <Table.Cell mono at="lead">
        <Link
          to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
          params={params}
          className={link()}
          data-ink
        >
          {device.device_name}
        </Link>
      </Table.Cell>
      <Table.Cell mono quiet className={wideOnly}>
        {device.from_display_version ?? device.from_version ?? '–'}
      </Table.Cell>
      <Table.Cell>{device.wave}</Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell quiet wrap className={roomyOnly} at="subEnd" title={device.reason ?? undefined}>
        {shape !== 'running' || device.progress_percent === null ? (
          <span className={twoLines}>
            {device.returned ? <Returned {...device.returned} /> : (device.reason ?? '–')}
            {device.waits_until !== null && <Ahead at={device.waits_until} />}
          </span>
        ) : (
          <Progress label={`${device.device_name} ${word}`} value={device.progress_percent / 100}>
            {Math.floor(device.progress_percent)} %
          </Progress>
        )}
      </Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={device.since} />
      </Table.Cell>
    </Table.Row>
  )
}

/** The devices of a rollout, failed ones first. */
export const RolloutDevices = ({ rollout }: { rollout: Rollout }) => {
  const { api } = useSystem()
  const [group, setGroup] = useState<Group>('all')
  const list = useList(
    { ...rolloutDevicesQuery(api, rollout, group === 'all' ? {} : { group }), placeholderData: keepPreviousData },
    { rows: (page) => page.devices, pace: rollout.ended_at === null ? paces.event : null },
  )
  const { targeted, failed, running, waiting, succeeded } = rollout.counts
  const leftOut = leftOutOf(rollout.counts)
  const items = [
    { value: 'all' as const, label: `All ${formatCount(targeted)}` },
    { value: 'failed' as const, label: `Failed ${formatCount(failed)}` },
    { value: 'running' as const, label: `Running ${formatCount(running)}` },
    { value: 'waiting' as const, label: `Waiting ${formatCount(waiting)}` },
    { value: 'succeeded' as const, label: `Succeeded ${formatCount(succeeded)}` },
    ...(leftOut > 0 || group === 'left_out' ? [{ value: 'left_out' as const, label: `Left out ${formatCount(leftOut)}` }] : []),
  ]
  return (
    <div>
      <div className={bar}>
        <h2 className={css({ textStyle: 'heading' })}>Devices</h2>
        <Freshness query={list.query} />
        <Segment small label="Which devices" items={items} value={group} onValueChange={setGroup} />
      </div>
      {list.error && list.rows.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isEmpty ? (
        <EmptyState small title="Not Found" />
      ) : (
        <ListTable
          caption={`Devices of ${rollout.name}`}
          list={list}
          columns={6}
          skeletons={4}
          rowHeight={52}
          narrowHeight={84}
          head={
            <>
              <Table.Th className={css({ lg: { w: '180' } })}>Name</Table.Th>
              <Table.Th className={cx(css({ w: '80' }), wideOnly)}>From</Table.Th>
              <Table.Th className={css({ w: '64' })}>Wave</Table.Th>
              <Table.Th className={css({ w: '136' })}>State</Table.Th>
              <Table.Th className={roomyOnly}>Reason</Table.Th>
              <Table.Th align="end" className={css({ w: '96' })}>
                Since
              </Table.Th>
            </>
          }
        >
          {(device) => <DeviceRow key={device.device_id} device={device} />}
        </ListTable>
      )}
    </div>
  )
}
