import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button } from 'styled-system/recipes'
import { tagListQuery } from '../../api/queries/tags'
import { dueIn, paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { FailureBox } from '../../system/failure-box'
import { useFilterText } from '../../system/filter-text'
import { useRefusal } from '../../system/grants'
import type { LoaderArgs } from '../../system/guard'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon'
import { Freshness } from '../../ui/freshness'
import { SearchInput } from '../../ui/input'
import { Banner, EmptyState } from '../../ui/notice'
import { Page, PageHead, ToolRow } from '../../ui/page'
import { RowSkeletons } from '../../ui/row-skeletons'
import * as Table from '../../ui/table'
import { VirtualRows } from '../../ui/virtual-rows'
import { roomyOnly, TagRow } from './tag-row'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/tags/list/')
const columns = 5

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
  const query = useInfiniteQuery({
    ...tagListQuery(api, projectId, filters),
    refetchInterval: ({ state }) => dueIn(state, paces.list),
  })
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query
  const rows = data?.pages.flatMap((page) => page.tags) ?? []
  const total = data?.pages[0]?.total
  const descending = filters.sort === '-name'
  const none = data !== undefined && rows.length === 0 && filters.q === undefined
  const head = (
    <PageHead
      title="Tags"
      count={typeof total === 'number' && !none ? formatCount(total) : undefined}
      actions={none ? undefined : <AddTag />}
    />
  )
  if (error && rows.length === 0)
    return (
      <Page>
        {head}
        <FailureBox error={error} onRetry={() => void refetch()} />
      </Page>
    )
  if (none)
    return (
      <Page>
        {head}
        <EmptyState title="Not Found" action={<AddTag />}>
          A tag groups devices. Use tags to target rollouts and filter lists.
        </EmptyState>
      </Page>
    )
  return (
    <Page>
      {head}
      {error && (
        <Banner kind="error" action={{ label: 'Try again', onClick: () => void refetch() }}>
          The last refresh failed.
        </Banner>
      )}
      <ToolRow>
        <SearchInput
          small
          className={css({ flex: { base: '1', md: 'none' }, w: { md: '232' } })}
          label="Filter by name"
          {...filter.input}
        />
        <Freshness query={query} />
      </ToolRow>
      {data && rows.length === 0 ? (
        <EmptyState small title="Not Found" action={<Button onClick={filter.clear}>Clear filters</Button>} />
      ) : (
        <Table.Root caption="Tags" stack>
          <Table.Head>
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
          </Table.Head>
          {isPending ? (
            <RowSkeletons columns={columns} />
          ) : (
            <VirtualRows
              stack
              count={rows.length}
              columns={columns}
              onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()}
            >
              {(index) => {
                const tag = rows[index]
                return tag && <TagRow key={tag.id} tag={tag} />
              }}
            </VirtualRows>
          )}
        </Table.Root>
      )}
    </Page>
  )
}
