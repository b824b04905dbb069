import type { ReactNode } from 'react'
import { RowSkeletons } from './row-skeletons'
import * as Table from './table'
import { VirtualRows } from './virtual-rows'

type Props<Row> = {
  caption: string
  list: {
    rows: readonly Row[]
    isPending: boolean
    hasMore: boolean
    loadMore: () => void
    onView: (first: number, last: number) => void
  }
  /** The header cells, one per column. */
  head: ReactNode
  columns: number
  /** Placeholder rows until the first page arrives. */
  skeletons?: number | undefined
  /** Height in pixels of a row; 36 by default, for one line of text. */
  rowHeight?: number | undefined
  /** Height in pixels of a stacked row that contains more than text. */
  narrowHeight?: number | undefined
  /** Rows of 28 px. */
  dense?: boolean
  /** As in `VirtualRows`. */
  reuse?: boolean
  /** A `Table.Row`. */
  children: (row: Row, index: number) => ReactNode
}

/** The table of a long list: placeholders first, then virtual rows, which fetch the next page near their end. */
export const ListTable = <Row,>({
  caption,
  list,
  head,
  columns,
  skeletons,
  rowHeight = 36,
  narrowHeight,
  dense = false,
  reuse,
  children,
}: Props<Row>) => (
  <Table.Root
    caption={caption}
    stack
    dense={dense}
    virtual={!list.isPending}
    // With the head; unknown before the last page.
    aria-rowcount={list.hasMore ? -1 : list.rows.length + 1}
  >
    <Table.Head>{head}</Table.Head>
    {list.isPending ? (
      <RowSkeletons columns={columns} rows={skeletons} />
    ) : (
      <VirtualRows
        stack
        narrowHeight={narrowHeight}
        rowHeight={dense ? 28 : rowHeight}
        count={list.rows.length}
        reuse={reuse}
        onEnd={list.loadMore}
        onView={list.onView}
      >
        {(index) => {
          const row = list.rows[index]
          return row && children(row, index)
        }}
      </VirtualRows>
    )}
  </Table.Root>
)
