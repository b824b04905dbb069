import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import type { Release } from '../../../contract/updates/releases'
import { releasesQuery } from '../../api/queries/updates/releases'
import { paces } from '../../api/refresh'
import { formatBytes } from '../../lib/bytes'
import { releaseDisplay } from '../../lib/status-display'
import { useRefusal } from '../../system/scope/grants'
import type { LoaderArgs } from '../../system/scope/guard'
import { useList } from '../../system/list/list'
import { ListFilter, ListPage } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { useFilterText } from '../../system/list/filter-text'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { Icon } from '../../ui/icon/icon'
import { Freshness } from '../../system/refresh/freshness'
import { ListTable } from '../../ui/list/list-table'
import { EmptyState } from '../../ui/layout/notice'
import { PageHead, ToolRow } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'
import { RelativeTime } from '../../ui/text/time'
import { LastRollout } from './last-rollout'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/')
const wideOnly = css({ hideBelow: 'xl' })
const roomyOnly = css({ hideBelow: 'lg' })

const NoReleases = () => <span className={css({ color: 'muted' })}>–</span>

const ReleaseRow = ({ release }: { release: Release }) => {
  const params = { ...route.useParams(), releaseId: release.id }
  const navigate = useNavigate()
  const to = '/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/status' as const
  const { shape, word } = releaseDisplay(release.state)
  const size = release.assets.reduce((sum, asset) => sum + asset.size, 0)
  return (
    <Table.Row
      onOpen={() => void navigate({ to, params })}
      dimmed={['archived', 'revoked', 'superseded'].includes(release.state)}
    >
      <Table.Cell at="lead">
        <Link to={to} params={params} className={link()} data-ink title={release.name}>
          {release.name}
        </Link>
      </Table.Cell>
      <Table.Cell mono at="subEnd" title={release.display_version ?? undefined}>
        {release.display_version ?? release.version}
        {release.display_version !== null && <span className={css({ color: 'muted', ml: '8' })}>{release.version}</span>}
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell className={roomyOnly}>
        {release.rollout_summary ? <LastRollout name={release.name} summary={release.rollout_summary} /> : <NoReleases />}
      </Table.Cell>
      <Table.Cell mono quiet className={wideOnly} title={release.hardware_models.join(', ')}>
        {release.hardware_models.join(', ')}
      </Table.Cell>
      <Table.Cell align="end" className={roomyOnly}>
        {size === 0 ? <NoReleases /> : formatBytes(size)}
      </Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={release.updated_at} />
      </Table.Cell>
    </Table.Row>
  )
}

const AddRelease = () => {
  const refused = useRefusal('project:manage_releases')
  const params = route.useParams()
  if (refused !== undefined)
    return (
      <Button variant="primary" icon={<Icon name="plus" />} refused={refused}>
        Add Release
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/releases/list/add"
      params={params}
      className={button({ variant: 'primary' })}
    >
      <Icon name="plus" />
      Add Release
    </Link>
  )
}

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(releasesQuery(api, params.projectId))

/** The releases of a project, newest version first, each with its progress. */
export default function ReleasesPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const { projectId } = params
  const filter = useFilterText()
  const filtered = filter.value !== undefined
  const list = useList(releasesQuery(api, projectId, filter.value === undefined ? {} : { q: filter.value }), {
    rows: (page) => page.releases,
    pace: paces.fleet,
  })
  const none = list.isEmpty && !filtered
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={filter.clear}
      head={
        <PageHead
          title="Releases"
          count={none ? undefined : (list.first?.total ?? undefined)}
          actions={none ? undefined : <AddRelease />}
        />
      }
      emptyState={
        <EmptyState title="Not Found" action={<AddRelease />}>
          A release is a set of files, signed once, that devices verify before they install it.
        </EmptyState>
      }
      tools={
        <ToolRow>
          <ListFilter label="Filter by name" filter={filter} />
          <Link to="/organizations/$organizationId/projects/$projectId/releases/components" params={params} className={link()}>
            Find a component
          </Link>
          <Freshness query={list.query} />
        </ToolRow>
      }
    >
      <ListTable
        caption="Releases"
        list={list}
        columns={7}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th className={css({ w: '136' })}>Version</Table.Th>
            <Table.Th className={css({ w: '160' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '180' }), roomyOnly)}>Rollout</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Models</Table.Th>
            <Table.Th align="end" className={cx(css({ w: '80' }), roomyOnly)}>
              Size
            </Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Updated
            </Table.Th>
          </>
        }
      >
        {(release) => <ReleaseRow key={release.id} release={release} />}
      </ListTable>
    </ListPage>
  )
}
