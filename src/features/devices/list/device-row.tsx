import { memo, type MouseEvent, type ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { isEnded } from '../../../../contract/device/update-events'
import type { Device } from '../../../../contract/fleet/devices'
import type { DeviceColumn } from '../../../../contract/fleet/saved-views'
import { healthDisplay, lifecycleDisplay } from '../../../lib/status-display'
import { drawnShape, type ShapeName } from '../../../ui/layout/shape'
import * as Table from '../../../ui/list/table'
import { Tags } from '../../../ui/text/tag'
import { AgoText, exactTime } from '../../../ui/text/time'
import { SelectCell } from './select-cell'
import type { DeviceSelection } from './use-selection'
import { contactDisplay } from './contact-display'
import { columns } from './device-columns'
import type { ListLayout } from './list-layout'
import { describeUpdate, UpdateCell, updateShape } from './update-cell'

const next = css({ color: 'muted' })
const nameLink = cx(
  link(),
  css({ textStyle: 'mono', scrollMarginTop: 'calc({spacing.header} + {spacing.40})', scrollMarginBottom: '40' }),
)

const versionOf = ({ version, display_version: display }: { version: number; display_version: string | null }) =>
  display ?? String(version)

/** An ended update's version is not shown as the target: the device stays on what it runs. */
const goalOf = ({ installed, update }: Device) =>
  update && !isEnded(update.state) && update.version !== installed?.version ? versionOf(update) : undefined

const healthOf = ({ status, reasons: [worst] }: Device['health']) =>
  worst ? `${worst.metric.split('.')[0]} ${Math.round(worst.value)}` : healthDisplay(status).word

const contents: Readonly<Record<DeviceColumn, (device: Device) => ReactNode>> = {
  serial_number: (device) => device.serial_number ?? '–',
  hardware_model: (device) => device.hardware_model,
  lifecycle: ({ lifecycle }) => lifecycleDisplay(lifecycle).word,
  tags: ({ tags }) => tags.length > 0 && <Tags tags={tags} most={2} />,
  version: (device) => {
    const goal = goalOf(device)
    return (
      <>
        {device.installed ? versionOf(device.installed) : '–'}
        {goal !== undefined && <span className={next}> → {goal}</span>}
      </>
    )
  },
  update: (device) => <UpdateCell device={device} />,
  health: ({ health }) => healthOf(health),
  connectivity: (device) => contactDisplay(device).word,
  enrolled_at: (device) => <AgoText value={device.enrolled_at} />,
  created_at: (device) => <AgoText value={device.created_at} />,
  last_seen_at: (device) => <AgoText value={device.last_seen_at} />,
}

const quiet: { readonly [C in DeviceColumn]?: (device: Device) => boolean } = {
  serial_number: () => true,
  hardware_model: () => true,
  version: ({ installed }) => !installed,
  update: ({ lifecycle, update }) => lifecycle === 'active' && !update,
  enrolled_at: () => true,
  created_at: () => true,
  last_seen_at: () => true,
}

const exact = (value: string | null) => (value === null ? undefined : exactTime(value))

const hints: { readonly [C in DeviceColumn]?: (device: Device) => string | undefined } = {
  version: ({ installed_revoked: revoked }) => (revoked ? `Revoked: ${revoked.reason}` : undefined),
  enrolled_at: (device) => exact(device.enrolled_at),
  created_at: (device) => exact(device.created_at),
  last_seen_at: (device) => exact(device.last_seen_at),
}

// Each element of a row counts, since rows are rendered while the list scrolls: a cell draws the shape before its text.
const shapes: { readonly [C in DeviceColumn]?: (device: Device) => ShapeName | undefined } = {
  lifecycle: ({ lifecycle }) => lifecycleDisplay(lifecycle).shape,
  version: ({ installed_revoked }) => (installed_revoked ? 'error' : undefined),
  update: updateShape,
  health: ({ health }) => healthDisplay(health.status).shape,
}

/** What the row says: the description of its link, for a screen reader that moves from name to name. */
const describe = (device: Device) =>
  [
    contactDisplay(device).word,
    device.installed ? `version ${versionOf(device.installed)}${device.installed_revoked ? ', revoked' : ''}` : 'no version',
    describeUpdate(device),
    `health ${healthOf(device.health)}`,
    ...device.tags.map(({ name }) => name),
  ].join(', ')

const isPlain = (event: MouseEvent) => event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey

type Props = {
  device: Device
  index: number
  columns: ListLayout['columns']
  selected: boolean
  onSelect: DeviceSelection['toggle']
  href: string
  onOpen: (id: string) => void
  /** Called with an id when its page may be opened soon, and without one when not. */
  onIntent: (id: string | undefined) => void
}

/** One device of the list; a click on the row opens it. */
export const DeviceRow = memo(({ device, index, columns: shown, selected, onSelect, href, onOpen, onIntent }: Props) => {
  const follow = (event: MouseEvent) => {
    if (!isPlain(event)) return
    event.preventDefault()
    onOpen(device.id)
  }
  return (
    <Table.Row data-index={index} onOpen={() => onOpen(device.id)} selected={selected} dimmed={device.lifecycle !== 'active'}>
      <SelectCell index={index} name={device.name} selected={selected} onSelect={onSelect} />
      <Table.Cell at="lead" data-named {...drawnShape(contactDisplay(device).shape)}>
        <a
          href={href}
          className={nameLink}
          data-ink
          title={`${device.name}: ${describe(device)}`}
          onClick={follow}
          onPointerEnter={() => onIntent(device.id)}
          onPointerLeave={() => onIntent(undefined)}
        >
          {device.name}
        </a>
      </Table.Cell>
      {shown.map(({ name }) => {
        const { look, end, mono = false, at } = columns[name]
        const shape = shapes[name]?.(device)
        return (
          <Table.Cell
            key={name}
            className={look}
            align={end ? 'end' : undefined}
            mono={mono}
            quiet={quiet[name]?.(device) ?? false}
            title={hints[name]?.(device)}
            {...(shape && drawnShape(shape))}
            {...(at !== undefined && { at })}
          >
            {contents[name](device)}
          </Table.Cell>
        )
      })}
    </Table.Row>
  )
})
