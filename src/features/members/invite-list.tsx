import { useInfiniteQuery } from '@tanstack/react-query'
import { css, cx } from 'styled-system/css'
import { inviteListQuery } from '../../api/queries/members'
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
import { AddInvites } from './add-invites'
import { useMemberScope } from './member-scope'
import { InviteRow } from './invite-row'
import { roomyOnly, wideOnly } from './member-row'

const columns = 6
const tools = css({
  display: 'flex',
  gap: '8',
  w: 'full',
  justifyContent: 'space-between',
  '& > div': { flexShrink: '1', minW: '0' },
})

/** The invites, newest first. */
export const InviteList = () => {
  const { api } = useSystem()
  const home = useMemberScope()
  const filter = useFilterText()
  const ask = filter.value === undefined ? {} : { q: filter.value }
  const query = useInfiniteQuery({
    ...inviteListQuery(api, home, ask),
    // Invites are answered elsewhere.
    refetchInterval: ({ state }) => dueIn(state, paces.fleet),
  })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.invites) ?? []
  if (error && rows.length === 0) return <FailureBox error={error} onRetry={() => void refetch()} />
  if (data && rows.length === 0 && filter.value === undefined)
    return (
      <EmptyState title="Not Found" action={<AddInvites size="md" />}>
        No invites yet. An invite is a mail with a link that is valid for seven days.
      </EmptyState>
    )
  return (
    <>
      <ToolRow>
        <div className={tools}>
          <SearchInput small className={css({ w: { base: 'full', md: '232' } })} label="Filter by e-mail" {...filter.input} />
          <Freshness query={query} />
          <AddInvites />
        </div>
      </ToolRow>
      {data && rows.length === 0 ? (
        <EmptyState small title="Not Found" action={<Button onClick={filter.clear}>Clear filters</Button>} />
      ) : (
        <Table.Root caption="Invites" stack>
          <Table.Head>
            <Table.Th>E-mail</Table.Th>
            <Table.Th className={css({ w: '104' })}>Role</Table.Th>
            <Table.Th className={css({ w: '112' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Invited by</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), roomyOnly)}>Valid until</Table.Th>
            <Table.Th className={css({ w: '180' })} aria-label="Send again or revoke" />
          </Table.Head>
          {isPending ? (
            <RowSkeletons columns={columns} rows={4} />
          ) : (
            <VirtualRows
              stack
              narrowHeight={81}
              count={rows.length}
              columns={columns}
              onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
            >
              {(index) => {
                const invite = rows[index]
                return invite && <InviteRow key={invite.id} invite={invite} />
              }}
            </VirtualRows>
          )}
        </Table.Root>
      )}
    </>
  )
}
