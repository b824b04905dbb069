import { css, cx } from 'styled-system/css'
import type { Device } from '../../../contract/devices'
import type { List } from '../../system/list'
import { ListTable } from '../../ui/list-table'
import * as Table from '../../ui/table'
import { roomyOnly, wideOnly } from './device-columns'
import { DeviceRow } from './device-row'

type Props = { list: List<Device>; sort: string; onSort: (sort: string) => void }

const columns = [
  { label: 'Name', by: 'name' },
  { label: 'Model', by: 'hardware_model', width: cx(css({ w: '112' }), wideOnly) },
  { label: 'Tags', width: cx(css({ w: '180' }), wideOnly) },
  { label: 'Version', by: 'version', width: cx(css({ w: '136' }), roomyOnly) },
  { label: 'Update', width: css({ w: '232' }) },
  { label: 'Health', width: cx(css({ w: '104' }), roomyOnly) },
  { label: 'Last seen', by: 'last_seen_at', width: css({ w: '96' }), end: true },
] as const satisfies readonly { label: string; by?: string; width?: string; end?: boolean }[]

/** Rows are virtual: tens of thousands cost no more than one screen. */
export const DeviceTable = ({ list, sort, onSort }: Props) => {
  const [field, descending] = sort.startsWith('-') ? [sort.slice(1), true] : [sort, false]
  return (
    <ListTable
      caption="Devices"
      list={list}
      columns={columns.length}
      skeletons={12}
      head={columns.map((column) => {
        const by = 'by' in column ? column.by : undefined
        return (
          <Table.Th
            key={column.label}
            className={'width' in column ? column.width : undefined}
            align={'end' in column ? 'end' : undefined}
            {...(by !== undefined && {
              sorted: by !== field ? 'none' : descending ? 'descending' : 'ascending',
              onSort: () => onSort(by === field && !descending ? `-${by}` : by),
            })}
          >
            {column.label}
          </Table.Th>
        )
      })}
    >
      {(device) => <DeviceRow key={device.id} device={device} />}
    </ListTable>
  )
}
