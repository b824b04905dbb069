import { getRouteApi, useRouter } from '@tanstack/react-router'
import { useCallback, useRef } from 'react'
import { css, cx } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import type { List } from '../../../system/list/list'
import { ListTable } from '../../../ui/list/list-table'
import * as Table from '../../../ui/list/table'
import { SelectHead } from './select-cell'
import type { DeviceSelection } from './use-selection'
import { ColumnHandle } from './column-handle'
import { columns } from './device-columns'
import { DeviceRow } from './device-row'
import type { ListLayout } from './list-layout'
import { useRowKeys } from './row-keys'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/')
const page = '/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events' as const
const head = css({ position: 'relative' })
// In the place of an id in an address.
const anyId = '0'.repeat(26)
/** As links wait before they load what they lead to. */
const intentMs = 50

/** What all rows share: a link of the router in each of them would follow every change of the address. */
const useDevicePages = () => {
  const router = useRouter()
  const { organizationId, projectId } = route.useParams()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const address = router.buildLocation({ to: page, params: { organizationId, projectId, deviceId: anyId } }).href
  const toOf = useCallback(
    (deviceId: string) => ({ to: page, params: { organizationId, projectId, deviceId } }),
    [organizationId, projectId],
  )
  const open = useCallback((id: string) => void router.navigate(toOf(id)), [router, toOf])
  const intend = useCallback(
    (id: string | undefined) => {
      clearTimeout(timer.current)
      if (id !== undefined) timer.current = setTimeout(() => void router.preloadRoute(toOf(id)), intentMs)
    },
    [router, toOf],
  )
  return { address, open, intend }
}

type Props = {
  list: List<Device>
  selection: DeviceSelection
  sort: string
  onSort: (sort: string) => void
  layout: ListLayout
  onLayout: (layout: ListLayout) => void
}

/** Rows are virtual: tens of thousands cost no more than one screen. */
export const DeviceTable = ({ list, selection, sort, onSort, layout, onLayout }: Props) => {
  const [field, descending] = sort.startsWith('-') ? [sort.slice(1), true] : [sort, false]
  const { address, open, intend } = useDevicePages()
  const shown = layout.columns
  useRowKeys(list.rows.length)
  const sorting = (by: string | undefined) =>
    by === undefined
      ? {}
      : {
          sorted: by !== field ? ('none' as const) : descending ? ('descending' as const) : ('ascending' as const),
          onSort: () => onSort(by === field && !descending ? `-${by}` : by),
        }
  const resize = (name: string, width: number | null) =>
    onLayout({ ...layout, columns: shown.map((one) => (one.name === name ? { ...one, width } : one)) })
  return (
    <ListTable
      caption="Devices"
      list={list}
      columns={shown.length + 2}
      skeletons={12}
      dense={layout.dense}
      reuse
      head={
        <>
          <SelectHead selection={selection} />
          <Table.Th {...sorting('name')}>Name</Table.Th>
          {shown.map(({ name, width }) => {
            const { label, sort: by, width: usual, look, end } = columns[name]
            return (
              <Table.Th
                key={name}
                className={cx(head, look)}
                align={end ? 'end' : undefined}
                style={{ width: width ?? usual }}
                {...sorting(by)}
                handle={<ColumnHandle label={label} width={width ?? usual} onWidth={(next) => resize(name, next)} />}
              >
                {label}
              </Table.Th>
            )
          })}
        </>
      }
    >
      {(device, index) => (
        <DeviceRow
          device={device}
          index={index}
          columns={shown}
          selected={selection.isSelected(device.id)}
          onSelect={selection.toggle}
          href={address.replace(anyId, device.id)}
          onOpen={open}
          onIntent={intend}
        />
      )}
    </ListTable>
  )
}
