import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import type { Component } from '../../../../contract/updates/components'
import { releaseComponentsQuery, releaseSbomsQuery } from '../../../api/queries/updates/components'
import { useFilterText } from '../../../system/list/filter-text'
import { useList } from '../../../system/list/list'
import { ListFilter, ListSection } from '../../../system/list/list-page'
import { useSystem } from '../../../system/system'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { ToolRow } from '../../../ui/layout/page'
import * as Table from '../../../ui/list/table'
import { SbomFiles } from './sbom-files'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/list/$releaseId/components')
const stack = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)' })
const roomyOnly = css({ hideBelow: 'lg' })
const wideOnly = css({ hideBelow: 'xl' })
/** While a file is being read. */
const soon = 2000

const ComponentRow = ({ component: { name, version, licence, supplier, purl } }: { component: Component }) => (
  <Table.Row>
    <Table.Cell at="lead" title={purl ?? name}>
      {name}
    </Table.Cell>
    <Table.Cell mono at="subEnd" title={version ?? undefined}>
      {version ?? '–'}
    </Table.Cell>
    <Table.Cell at="sub" title={licence ?? undefined}>
      {licence ?? '–'}
    </Table.Cell>
    <Table.Cell quiet className={roomyOnly} title={supplier ?? undefined}>
      {supplier ?? '–'}
    </Table.Cell>
    <Table.Cell mono quiet className={wideOnly} title={purl ?? undefined}>
      {purl ?? '–'}
    </Table.Cell>
  </Table.Row>
)

/** The components that the SBOM files of a release list. */
export default function ReleaseComponentsPage() {
  const { api } = useSystem()
  const { releaseId } = route.useParams()
  const filter = useFilterText()
  const sboms = useQuery({
    ...releaseSbomsQuery(api, releaseId),
    refetchInterval: ({ state }) => (state.data?.some(({ state: read }) => read === 'waiting') ? soon : false),
  })
  const isRead = sboms.data?.some(({ state }) => state === 'read') ?? false
  const readAt = sboms.data?.map(({ read_at: at }) => at ?? '').join() ?? ''
  const list = useList(
    { ...releaseComponentsQuery(api, releaseId, readAt, filter.value), enabled: sboms.data !== undefined },
    { rows: (page) => page.components, pace: null },
  )
  const retry = () => {
    void sboms.refetch()
    list.retry()
  }
  const shown = { ...list, error: list.error ?? sboms.error, retry }
  return (
    <div className={stack}>
      {sboms.data && sboms.data.length > 0 && <SbomFiles sboms={sboms.data} />}
      <ListSection
        list={shown}
        filtered={filter.value !== undefined}
        onClear={filter.clear}
        emptyState={
          <EmptyState small title="Not Found">
            {isRead
              ? 'The SBOM lists no components.'
              : 'Add a CycloneDX or SPDX file in JSON to the draft. Files named .cdx.json, .spdx.json or bom.json become its SBOM.'}
          </EmptyState>
        }
        tools={
          <ToolRow>
            <ListFilter label="Filter by name" filter={filter} />
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
              <Table.Th className={css({ w: '180' })}>Licence</Table.Th>
              <Table.Th className={cx(css({ w: '180' }), roomyOnly)}>Supplier</Table.Th>
              <Table.Th className={wideOnly}>Package URL</Table.Th>
            </>
          }
        >
          {(component) => <ComponentRow key={component.id} component={component} />}
        </ListTable>
      </ListSection>
    </div>
  )
}
