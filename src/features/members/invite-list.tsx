import { css, cx } from 'styled-system/css'
import { inviteListQuery } from '../../api/queries/accounts/members'
import { paces } from '../../api/refresh'
import { useFilterText } from '../../system/list/filter-text'
import { useList } from '../../system/list/list'
import { ListFilter, ListSection } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { Freshness } from '../../system/refresh/freshness'
import { ListTable } from '../../ui/list/list-table'
import { EmptyState } from '../../ui/layout/notice'
import { ToolRow } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'
import { AddInvites } from './add-invites'
import { useMemberScope } from './member-scope'
import { InviteRow } from './invite-row'
import { roomyOnly, wideOnly } from './member-row'

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
  const scope = useMemberScope()
  const filter = useFilterText()
  const ask = filter.value === undefined ? {} : { q: filter.value }
  // Changes when somebody answers an invite.
  const list = useList(inviteListQuery(api, scope, ask), { rows: (page) => page.invites, pace: paces.fleet })
  return (
    <ListSection
      list={list}
      filtered={filter.value !== undefined}
      onClear={filter.clear}
      emptyState={
        <EmptyState title="Not Found" action={<AddInvites size="md" />}>
          No invites yet. An invite is a mail with a link that is valid for seven days.
        </EmptyState>
      }
      tools={
        <ToolRow>
          <div className={tools}>
            <ListFilter label="Filter by e-mail" filter={filter} wraps />
            <Freshness query={list.query} />
            <AddInvites />
          </div>
        </ToolRow>
      }
    >
      <ListTable
        caption="Invites"
        list={list}
        columns={6}
        skeletons={4}
        narrowHeight={81}
        head={
          <>
            <Table.Th>E-mail</Table.Th>
            <Table.Th className={css({ w: '104' })}>Role</Table.Th>
            <Table.Th className={css({ w: '112' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Invited by</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), roomyOnly)}>Valid until</Table.Th>
            <Table.Th className={css({ w: '180' })} aria-label="Send again or revoke" />
          </>
        }
      >
        {(invite) => <InviteRow key={invite.id} invite={invite} />}
      </ListTable>
    </ListSection>
  )
}
