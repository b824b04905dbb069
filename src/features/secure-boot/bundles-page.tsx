import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import type { BundleSummary } from '../../../contract/secure-boot/bundles'
import { bundlesQuery } from '../../api/queries/bundles'
import { paces } from '../../api/refresh'
import { formatCount } from '../../lib/amounts'
import { useFilterText } from '../../system/filter-text'
import { useRefusal } from '../../system/grants'
import type { LoaderArgs } from '../../system/guard'
import { useList } from '../../system/list'
import { ListFilter, ListPage } from '../../system/list-page'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/chip'
import { Freshness } from '../../ui/freshness'
import { Icon } from '../../ui/icon'
import { ListTable } from '../../ui/list-table'
import { EmptyState } from '../../ui/notice'
import { PageHead, ToolRow } from '../../ui/page'
import * as Table from '../../ui/table'
import { RelativeTime } from '../../ui/time'
import { bundleDisplay, platformLabels } from './bundle-display'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/secure-boot/list/')
const wideOnly = css({ hideBelow: 'xl' })
const roomyOnly = css({ hideBelow: 'lg' })
const quiet = css({ color: 'muted' })

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
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(bundlesQuery(api, params.projectId))

/** The secure boot bundles of a project: with them a board boots only signed images. */
export default function BundlesPage() {
  const { api } = useSystem()
  const { projectId } = route.useParams()
  const filter = useFilterText()
  const filtered = filter.value !== undefined
  const list = useList(bundlesQuery(api, projectId, filter.value === undefined ? {} : { q: filter.value }), {
    rows: (page) => page.artifact_bundles,
    pace: paces.list,
  })
  const none = list.isEmpty && !filtered
  return (
    <ListPage
      list={list}
      filtered={filtered}
      onClear={filter.clear}
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
          <ListFilter label="Filter by name" filter={filter} />
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
