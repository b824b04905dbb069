import { getRouteApi, Link } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { FoundComponent } from '../../../../contract/updates/components'
import { type ComponentFilters, findComponentsQuery } from '../../../api/queries/updates/components'
import { paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { useFilterText } from '../../../system/list/filter-text'
import type { LoaderArgs } from '../../../system/scope/guard'
import { useList } from '../../../system/list/list'
import { ListFilter, ListPage } from '../../../system/list/list-page'
import { useSystem } from '../../../system/system'
import { Freshness } from '../../../system/refresh/freshness'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { PageHead, ToolRow } from '../../../ui/layout/page'
import * as Table from '../../../ui/list/table'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/components')
const project = '/organizations/$organizationId/projects/$projectId' as const
const roomyOnly = css({ hideBelow: 'lg' })

const filtersOf = ({ q, version }: { q?: string | undefined; version?: string | undefined }): ComponentFilters => ({
  ...(q !== undefined && { q }),
  ...(version !== undefined && { version }),
})

const FoundRow = ({ found }: { found: FoundComponent }) => {
  const params = route.useParams()
  const { name, version, purl, licence, release, devices } = found
  // As the list of devices filters by it.
  const shownVersion = release.display_version ?? String(release.version)
  const label = `${release.name} ${shownVersion}`
  return (
    <Table.Row dimmed={['archived', 'revoked', 'superseded'].includes(release.state)}>
      <Table.Cell at="lead" title={purl ?? name}>
        {name}
      </Table.Cell>
      <Table.Cell mono at="subEnd" title={version ?? undefined}>
        {version ?? '–'}
      </Table.Cell>
      <Table.Cell at="sub" title={label}>
        <Link
          to={`${project}/releases/list/$releaseId/components`}
          params={{ ...params, releaseId: release.id }}
          search={{ q: name }}
          className={link()}
          data-ink
        >
          {label}
        </Link>
      </Table.Cell>
      <Table.Cell quiet className={roomyOnly} title={licence ?? undefined}>
        {licence ?? '–'}
      </Table.Cell>
      <Table.Cell align="end" at="end">
        {devices === 0 ? (
          '0'
        ) : (
          <Link
            to={`${project}/devices/list`}
            params={params}
            search={{ version: shownVersion }}
            className={link()}
            aria-label={`Devices that run ${label}: ${formatCount(devices)}`}
          >
            {formatCount(devices)}
          </Link>
        )}
      </Table.Cell>
    </Table.Row>
  )
}

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(findComponentsQuery(api, params.projectId, filtersOf({ ...location.search })))

/** Which releases of a project contain a component, and how many devices run them. */
export default function FindComponentsPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const search = route.useSearch()
  const name = useFilterText()
  const version = useFilterText('version')
  const list = useList(findComponentsQuery(api, projectId, filtersOf(search)), {
    rows: (page) => page.components,
    pace: paces.fleet,
  })
  return (
    <ListPage
      list={list}
      filtered={name.value !== undefined || version.value !== undefined}
      onClear={() => {
        name.clear()
        version.clear()
      }}
      head={<PageHead title="Components" count={list.isEmpty ? undefined : (list.first?.total ?? undefined)} />}
      emptyState={
        <EmptyState title="Not Found">
          Components are read from the SBOM of each release: a CycloneDX or SPDX file in JSON among its files.
        </EmptyState>
      }
      tools={
        <ToolRow>
          <ListFilter label="Filter by name" filter={name} wraps />
          <ListFilter label="Filter by version" filter={version} wraps />
          <Freshness query={list.query} />
        </ToolRow>
      }
    >
      <ListTable
        caption="Components"
        list={list}
        columns={5}
        head={
          <>
            <Table.Th>Component</Table.Th>
            <Table.Th className={css({ w: '160' })}>Version</Table.Th>
            <Table.Th>Release</Table.Th>
            <Table.Th className={cx(css({ w: '180' }), roomyOnly)}>Licence</Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Devices
            </Table.Th>
          </>
        }
      >
        {(found) => <FoundRow key={found.id} found={found} />}
      </ListTable>
    </ListPage>
  )
}
