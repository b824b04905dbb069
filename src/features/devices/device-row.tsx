import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { isEnded } from '../../../contract/device/update-events'
import type { Device } from '../../../contract/devices'
import { connectivityDisplay, healthDisplay } from '../../lib/status-display'
import { Status } from '../../ui/chip'
import { Shape } from '../../ui/shape'
import * as Table from '../../ui/table'
import { Tags } from '../../ui/tag'
import { RelativeTime } from '../../ui/time'
import { roomyOnly, wideOnly } from './device-columns'
import { UpdateCell } from './update-cell'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')
const next = css({ color: 'muted' })

const Version = ({ device: { installed, update } }: { device: Device }) => {
  // An ended update's version is not shown as the target: the device stays on what it runs.
  const goal = update && !isEnded(update.state) && update.version !== installed?.version ? update : null
  return (
    <>
      {installed ? (installed.display_version ?? installed.version) : '–'}
      {goal && <span className={next}> → {goal.display_version ?? goal.version}</span>}
    </>
  )
}

const HealthCell = ({ health }: { health: Device['health'] }) => {
  const { shape, word } = healthDisplay(health.status)
  const [worst] = health.reasons
  return <Status shape={shape}>{worst ? `${worst.metric.split('.')[0]} ${Math.round(worst.value)}` : word}</Status>
}

/** One device of the list; a click on the row opens it. */
export const DeviceRow = ({ device }: { device: Device }) => {
  const params = { ...route.useParams(), deviceId: device.id }
  const navigate = useNavigate()
  const to = '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events' as const
  const { shape, word } = connectivityDisplay(device.connectivity)
  return (
    <Table.Row onOpen={() => void navigate({ to, params })} dimmed={device.lifecycle !== 'active'}>
      <Table.Cell at="lead">
        <Table.Name>
          <Shape name={shape} label={word} />
          <Link to={to} params={params} className={link()} data-ink>
            <code title={device.name}>{device.name}</code>
          </Link>
        </Table.Name>
      </Table.Cell>
      <Table.Cell mono quiet className={wideOnly}>
        {device.hardware_model}
      </Table.Cell>
      <Table.Cell className={wideOnly}>{device.tags.length > 0 && <Tags tags={device.tags} most={2} />}</Table.Cell>
      <Table.Cell mono quiet={!device.installed} className={roomyOnly} at="subEnd">
        <Version device={device} />
      </Table.Cell>
      <Table.Cell at="sub" quiet={device.lifecycle === 'active' && !device.update}>
        <UpdateCell device={device} />
      </Table.Cell>
      <Table.Cell className={roomyOnly}>
        <HealthCell health={device.health} />
      </Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={device.last_seen_at} />
      </Table.Cell>
    </Table.Row>
  )
}
