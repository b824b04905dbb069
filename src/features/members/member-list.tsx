import { useInfiniteQuery } from '@tanstack/react-query'
import { css, cx } from 'styled-system/css'
import { memberListQuery } from '../../api/queries/members'
import { dueIn, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure-box'
import { useFilterText } from '../../system/filter-text'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Freshness } from '../../ui/freshness'
import { SearchInput } from '../../ui/input'
import { EmptyState } from '../../ui/notice'
import { ToolRow } from '../../ui/page'
import { RowSkeletons } from '../../ui/row-skeletons'
import * as Table from '../../ui/table'
import { VirtualRows } from '../../ui/virtual-rows'
import { useMemberScope } from './member-scope'
import { AddInvites } from './add-invites'
import { MemberRow, roomyOnly, wideOnly } from './member-row'

const columns = 6
const tools = css({
  display: 'flex',
  gap: '8',
  w: 'full',
  justifyContent: 'space-between',
  '& > div': { flexShrink: '1', minW: '0' },
})

/** The members; `place` is the displayed name of the organization or project. */
export const MemberList = ({ place }: { place: string }) => {
  const { api } = useSystem()
  const home = useMemberScope()
  const filter = useFilterText()
  const ask = filter.value === undefined ? {} : { q: filter.value }
  const query = useInfiniteQuery({
    ...memberListQuery(api, home, ask),
    // Invites are answered elsewhere.
    refetchInterval: ({ state }) => dueIn(state, paces.fleet),
  })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.members) ?? []
  if (error && rows.length === 0) return <FailureBox error={error} onRetry={() => void refetch()} />
  return (
    <>
      <ToolRow>
        <div className={tools}>
          <SearchInput small className={css({ w: { base: 'full', md: '232' } })} label="Filter by name" {...filter.input} />
          <Freshness query={query} />
          <AddInvites />
        </div>
      </ToolRow>
      {data && rows.length === 0 ? (
        <EmptyState small title="Not Found" action={<Button onClick={filter.clear}>Clear filters</Button>} />
      ) : (
        <Table.Root caption="Members" stack>
          <Table.Head>
            <Table.Th>Name</Table.Th>
            <Table.Th>E-mail</Table.Th>
            <Table.Th className={css({ w: '136', '&': { pl: '16' } })}>Role</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Joined</Table.Th>
            <Table.Th align="end" className={cx(css({ w: '120' }), roomyOnly)}>
              Last active
            </Table.Th>
            <Table.Th className={css({ w: '96' })} aria-label="Remove" />
          </Table.Head>
          {isPending ? (
            <RowSkeletons columns={columns} rows={4} />
          ) : (
            <VirtualRows
              stack
              narrowHeight={101}
              count={rows.length}
              columns={columns}
              onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
            >
              {(index) => {
                const person = rows[index]
                return person && <MemberRow key={person.user.id} person={person} place={place} />
              }}
            </VirtualRows>
          )}
        </Table.Root>
      )}
    </>
  )
}
