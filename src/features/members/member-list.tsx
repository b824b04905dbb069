import { css, cx } from 'styled-system/css'
import { memberListQuery } from '../../api/queries/accounts/members'
import { paces } from '../../api/refresh'
import { useFilterText } from '../../system/list/filter-text'
import { useList } from '../../system/list/list'
import { ListFilter, ListSection } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { Freshness } from '../../system/refresh/freshness'
import { ListTable } from '../../ui/list/list-table'
import { ToolRow } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'
import { useMemberScope } from './member-scope'
import { AddInvites } from './add-invites'
import { MemberRow, roomyOnly, wideOnly } from './member-row'

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
  const scope = useMemberScope()
  const filter = useFilterText()
  const ask = filter.value === undefined ? {} : { q: filter.value }
  // Changes when somebody answers an invite.
  const list = useList(memberListQuery(api, scope, ask), { rows: (page) => page.members, pace: paces.fleet })
  return (
    <ListSection
      list={list}
      filtered={filter.value !== undefined}
      onClear={filter.clear}
      tools={
        <ToolRow>
          <div className={tools}>
            <ListFilter label="Filter by name" filter={filter} wraps />
            <Freshness query={list.query} />
            <AddInvites />
          </div>
        </ToolRow>
      }
    >
      <ListTable
        caption="Members"
        list={list}
        columns={6}
        skeletons={4}
        narrowHeight={101}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th>E-mail</Table.Th>
            <Table.Th className={css({ w: '136', '&': { pl: '16' } })}>Role</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Joined</Table.Th>
            <Table.Th align="end" className={cx(css({ w: '120' }), roomyOnly)}>
              Last active
            </Table.Th>
            <Table.Th className={'projectId' in scope ? css({ w: '96' }) : css({ w: '200' })} aria-label="Actions" />
          </>
        }
      >
        {(person) => <MemberRow key={person.user.id} person={person} place={place} />}
      </ListTable>
    </ListSection>
  )
}
