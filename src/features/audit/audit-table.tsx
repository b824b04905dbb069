import { css, cx } from 'styled-system/css'
import type { AuditEntry } from '../../../contract/accounts/audit'
import type { List } from '../../system/list/list'
import { ListTable } from '../../ui/list/list-table'
import * as Table from '../../ui/list/table'
import { AuditRow, roomyOnly } from './audit-row'

type Props = { list: List<AuditEntry>; chosen: string | undefined; onOpen: (entry: AuditEntry) => void }

export const AuditTable = ({ list, chosen, onOpen }: Props) => (
  <ListTable
    caption="Audit log"
    list={list}
    columns={6}
    skeletons={12}
    head={
      <>
        <Table.Th className={cx(css({ w: '64' }), roomyOnly)}>No.</Table.Th>
        <Table.Th className={css({ w: '180', '[data-beside] &': { lgTo2xl: { w: '96' } } })}>Time</Table.Th>
        <Table.Th className={css({ w: '180', '[data-beside] &': { lgTo2xl: { w: '120' } } })}>Actor</Table.Th>
        <Table.Th className={css({ w: '232', '[data-beside] &': { lgTo2xl: { w: '180' } } })}>Action</Table.Th>
        <Table.Th>Target</Table.Th>
        <Table.Th className={cx(css({ w: '96', '[data-beside] &': { lgTo2xl: { w: '80' } } }), roomyOnly)}>Result</Table.Th>
      </>
    }
  >
    {(entry) => <AuditRow key={entry.id} entry={entry} selected={entry.id === chosen} onOpen={() => onOpen(entry)} />}
  </ListTable>
)
