import { Skeleton } from '../layout/skeleton'
import * as Table from './table'

const widths = ['long', 'half', 'short'] as const

/** Placeholders for rows, in place of `Table.Body`. */
export const RowSkeletons = ({ columns, rows = 8 }: { columns: number; rows?: number }) => (
  <tbody aria-busy>
    {Array.from({ length: rows }, (_, row) => (
      <Table.Row key={row}>
        {Array.from({ length: columns }, (__, column) => (
          <Table.Cell key={column} at={column === 0 ? 'lead' : column === 1 ? 'sub' : undefined}>
            <Skeleton width={widths[(row + column) % widths.length] ?? 'half'} />
          </Table.Cell>
        ))}
      </Table.Row>
    ))}
  </tbody>
)
