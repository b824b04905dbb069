import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { Suspense } from 'react'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import type { BundleSummary } from '../../../contract/updates/secure-boot/bundles'
import { bundlesQuery } from '../../api/queries/updates/bundles'
import { paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { useFilterText } from '../../system/list/filter-text'
import { useRefusal } from '../../system/scope/grants'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { useList } from '../../system/list/list'
import { ListFilter, ListPage } from '../../system/list/list-page'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { FilterChip } from '../../ui/overlay/dock'
import { Freshness } from '../../system/refresh/freshness'
import { Icon } from '../../ui/icon/icon'
import { ListTable } from '../../ui/list/list-table'
import { EmptyState } from '../../ui/layout/notice'
import { PageHead, ToolRow } from '../../ui/layout/page'
import * as Table from '../../ui/list/table'
import { RelativeTime } from '../../ui/text/time'
import { bundleDisplay, platformLabels } from './bundle-display'
import { type BundlesSearch, readBundlesSearch } from './bundles-search'

const BundleFilters = lazyPart(() => import('./bundle-filters').then((part) => part.BundleFilters))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/')
const wideOnly = css({ hideBelow: 'xl' })
const roomyOnly = css({ hideBelow: 'lg' })
const quiet = css({ color: 'muted' })
const filtersWait = css({ h: { base: 'controlTouch', md: 'controlSmall' } })

const BundleRow = ({ bundle }: { bundle: BundleSummary }) => {
  const params = { ...route.useParams(), artifactsBundleId: bundle.id }
  const navigate = useNavigate()
  const to = '/organizations/$organizationId/projects/$projectId/secure-boot/list/$artifactsBundleId' as const
  const { shape, word } = bundleDisplay(bundle.state)
  const { present, total } = bundle.completeness
  return (
    <Table.Row onOpen={() => void navigate({ to, params })} dimmed={bundle.state === 'archived' || bundle.state === 'revoked'}>
      <Table.Cell at="lead">
        <Link to={to} params={params} className={link()} data-ink title={bundle.name}>
          {bundle.name}
        </Link>
      </Table.Cell>
      <Table.Cell mono at="subEnd">
        {bundle.version}
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell className={roomyOnly}>
        {present} of {total}
      </Table.Cell>
      <Table.Cell className={wideOnly} title={platformLabels[bundle.platform]}>
        {platformLabels[bundle.platform]}
      </Table.Cell>
      <Table.Cell mono quiet className={wideOnly} title={bundle.hardware_models.join(', ')}>
        {bundle.hardware_models.join(', ')}
      </Table.Cell>
      <Table.Cell align="end" className={roomyOnly}>
        {bundle.applied.devices === 0 ? <span className={quiet}>0</span> : formatCount(bundle.applied.devices)}
      </Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={bundle.updated_at} />
      </Table.Cell>
    </Table.Row>
  )
}

const AddBundle = () => {
  const refused = useRefusal('project:update')
  const params = route.useParams()
  const icon = <Icon name="plus" />
  if (refused !== undefined)
    return (
      <Button variant="primary" icon={icon} refused={refused}>
        Add Bundle
      </Button>
    )
  return (
    <Link
      to="/organizations/$organizationId/projects/$projectId/secure-boot/list/add"
      params={params}
      className={button({ variant: 'primary' })}
    >
      {icon}
      Add Bundle
    </Link>
  )
}

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(bundlesQuery(api, params.projectId, readBundlesSearch({ ...location.search })))

/** The filters in words, beside the field that takes them away. */
const chipsOf = ({ state, platform, hardware_model: model }: BundlesSearch) => [
  { field: 'State', value: state && bundleDisplay(state).word, off: { state: undefined } },
  { field: 'Platform', value: platform && platformLabels[platform], off: { platform: undefined } },
  { field: 'Model', value: model, off: { hardware_model: undefined } },
]

/** The secure boot bundles of a project: with them a board boots only signed images. */
export default function BundlesPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const search = readBundlesSearch(route.useSearch())
  const navigate = route.useNavigate()
  const filter = useFilterText()
  const filtered = Object.keys(search).length > 0
  const list = useList(bundlesQuery(api, projectId, search), { rows: (page) => page.artifact_bundles, pace: paces.list })
  const narrow = (change: BundlesSearch) => void navigate({ to: '.', search: (kept) => ({ ...kept, ...change }), replace: true })
  const clear = () => {
    filter.clear()
    void navigate({ to: '.', search: {}, replace: true })
  }
  const none = list.isEmpty && !filtered
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={clear}
      head={
        <PageHead
          title="Secure Boot"
          count={none ? undefined : (list.first?.total ?? undefined)}
          actions={none ? undefined : <AddBundle />}
        />
      }
      emptyState={
        <EmptyState title="Not Found" action={<AddBundle />}>
          A bundle contains the signed boot stages for one kind of board, the public keys or hashes to burn into it, and the steps
          that lock it permanently, in order.
        </EmptyState>
      }
      tools={
        <ToolRow>
          <ListFilter label="Filter by name" filter={filter} wraps />
          {chipsOf(search).map(
            ({ field, value, off }) =>
              value !== undefined && <FilterChip key={field} field={field} value={value} onClear={() => narrow(off)} />,
          )}
          <Suspense fallback={<span className={filtersWait} aria-busy />}>
            <BundleFilters
              projectId={projectId}
              search={search}
              models={list.rows.flatMap((bundle) => bundle.hardware_models)}
              onChange={narrow}
            />
          </Suspense>
          <Freshness query={list.query} />
        </ToolRow>
      }
    >
      <ListTable
        caption="Bundles"
        list={list}
        columns={8}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th className={css({ w: '80' })}>Version</Table.Th>
            <Table.Th className={css({ w: '120' })}>State</Table.Th>
            <Table.Th className={cx(css({ w: '120' }), roomyOnly)}>Required parts</Table.Th>
            <Table.Th className={cx(css({ w: '200' }), wideOnly)}>Platform</Table.Th>
            <Table.Th className={cx(css({ w: '160' }), wideOnly)}>Models</Table.Th>
            <Table.Th align="end" className={cx(css({ w: '80' }), roomyOnly)}>
              Devices
            </Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Updated
            </Table.Th>
          </>
        }
      >
        {(bundle) => <BundleRow key={bundle.id} bundle={bundle} />}
      </ListTable>
    </ListPage>
  )
}
