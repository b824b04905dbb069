import { css, cx } from 'styled-system/css'
import type { AuditEntry } from '../../../contract/audit'
import { RowSkeletons } from '../../ui/row-skeletons'
import * as Table from '../../ui/table'
import { VirtualRows } from '../../ui/virtual-rows'
import { AuditRow, roomyOnly } from './audit-row'

type Props = {
  rows: readonly AuditEntry[]
  pending: boolean
  chosen: string | undefined
  onOpen: (entry: AuditEntry) => void
  onEnd: () => void
}
const columns = 6

export const AuditTable = ({ rows, pending, chosen, onOpen, onEnd }: Props) => (
  <Table.Root caption="Audit log" stack>
    <Table.Head>
      <Table.Th align="end" className={cx(css({ w: '64' }), roomyOnly)}>
        No.
      </Table.Th>
      <Table.Th className={css({ w: '180', '[data-beside] &': { lgTo2xl: { w: '96' } } })}>Time</Table.Th>
      <Table.Th className={css({ w: '180', '[data-beside] &': { lgTo2xl: { w: '120' } } })}>Actor</Table.Th>
      <Table.Th className={css({ w: '232', '[data-beside] &': { lgTo2xl: { w: '180' } } })}>Action</Table.Th>
      <Table.Th>Target</Table.Th>
      <Table.Th className={cx(css({ w: '96', '[data-beside] &': { lgTo2xl: { w: '80' } } }), roomyOnly)}>Result</Table.Th>
    </Table.Head>
    {pending ? (
      <RowSkeletons columns={columns} rows={12} />
    ) : (
      <VirtualRows stack count={rows.length} columns={columns} onEnd={onEnd}>
        {(index) => {
          const entry = rows[index]
          return entry && <AuditRow key={entry.id} entry={entry} selected={entry.id === chosen} onOpen={() => onOpen(entry)} />
        }}
      </VirtualRows>
    )}
  </Table.Root>
)
