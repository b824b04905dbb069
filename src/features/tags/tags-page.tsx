import { getRouteApi, Link } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { tagListQuery } from '../../api/queries/fleet/tags'
import { paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { useFilterText } from '../../system/list/filter-text'
import { useRefusal } from '../../system/scope/grants'
import type { LoaderArgs } from '../../system/scope/guard'
import { useList } from '../../system/list/list'
import { ListFilter, ListPage } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'
import { Freshness } from '../../system/refresh/freshness'
import { ListTable } from '../../ui/list/list-table'
import { EmptyState } from '../../ui/layout/notice'
import { PageHead, ToolRow } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'
import { roomyOnly, TagRow } from './tag-row'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/tags/list/')

const filtersOf = ({ q, sort }: { q?: string | undefined; sort?: string | undefined }) => ({
  ...(q !== undefined && { q }),
  ...(sort !== undefined && /^-?(name|created_at)$/.test(sort) && { sort }),
})

const AddTag = () => {
  const refused = useRefusal('project:manage_devices')
  const params = route.useParams()
  const icon = <Icon name="plus" />
  if (refused !== undefined)
    return (
      <Button variant="primary" icon={icon} refused={refused}>
        Add Tag
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/tags/list/add"
      params={params}
      className={button({ variant: 'primary' })}
    >
      {icon}
      Add Tag
    </Link>
  )
}

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(tagListQuery(api, params.projectId, filtersOf({ ...location.search })))

/** The tags of a project, which rollouts and filters select by. */
export default function TagsPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = useFilterText()
  const filters = filtersOf(search)
  const list = useList(tagListQuery(api, projectId, filters), { rows: (page) => page.tags, pace: paces.list })
  const total = list.first?.total
  const descending = filters.sort === '-name'
  const filtered = filters.q !== undefined
  const none = list.isEmpty && !filtered
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={filter.clear}
      head={
        <PageHead
          title="Tags"
          count={typeof total === 'number' && !none ? formatCount(total) : undefined}
          actions={none ? undefined : <AddTag />}
        />
      }
      emptyState={
        <EmptyState title="Not Found" action={<AddTag />}>
          A tag groups devices. Use tags to target rollouts and filter lists.
        </EmptyState>
      }
      tools={
        <ToolRow>
          <ListFilter label="Filter by name" filter={filter} />
          <Freshness query={list.query} />
        </ToolRow>
      }
    >
      <ListTable
        caption="Tags"
        list={list}
        columns={5}
        head={
          <>
            <Table.Th
              className={css({ w: '280' })}
              sorted={descending ? 'descending' : 'ascending'}
              onSort={() =>
                void navigate({ search: (kept) => ({ ...kept, sort: descending ? undefined : '-name' }), replace: true })
              }
            >
              Name
            </Table.Th>
            <Table.Th>Description</Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Devices
            </Table.Th>
            <Table.Th align="end" className={cx(css({ w: '120' }), roomyOnly)}>
              Open rollouts
            </Table.Th>
            <Table.Th align="end" className={css({ w: '112' })}>
              Updated
            </Table.Th>
          </>
        }
      >
        {(tag) => <TagRow key={tag.id} tag={tag} />}
      </ListTable>
    </ListPage>
  )
}
