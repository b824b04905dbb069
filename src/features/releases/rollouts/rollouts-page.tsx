import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { css, cx } from 'styled-system/css'
import { button, link } from 'styled-system/recipes'
import { type Rollout, type RolloutGroup, rolloutGroups } from '../../../../contract/updates/rollouts'
import { projectRolloutsQuery, type RolloutFilters } from '../../../api/queries/updates/rollouts'
import { paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { rolloutDisplay } from '../../../lib/rollout-status'
import type { LoaderArgs } from '../../../system/scope/guard'
import { useFilterText } from '../../../system/list/filter-text'
import { useList } from '../../../system/list/list'
import { ListFilter, ListPage } from '../../../system/list/list-page'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { Freshness } from '../../../system/refresh/freshness'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { PageHead, ToolRow } from '../../../ui/layout/page'
import { Segment } from '../../../ui/form/segment'
import * as Table from '../../../ui/list/table'
import { RelativeTime, useNow } from '../../../ui/text/time'
import { RolloutProgress } from '../rollout-progress'
import { describeNext, describeOutcome } from './next-step'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/releases/rollouts/')
const project = '/organizations/$organizationId/projects/$projectId' as const
const roomyOnly = css({ hideBelow: 'lg' })

const groupOf = (text: string | undefined): RolloutGroup => rolloutGroups.find((group) => group === text) ?? 'open'

const filtersOf = ({ q, group: asked }: { q?: string | undefined; group?: string | undefined }): RolloutFilters => {
  const group = groupOf(asked)
  return { group, ...(group === 'open' && { sort: '-urgency' }), ...(q !== undefined && { q }) }
}

const NextStep = ({ rollout }: { rollout: Rollout }) => {
  const now = useNow()
  const next = describeNext(rollout, now)
  const text = next === undefined ? describeOutcome(rollout) : `${describeOutcome(rollout)}. ${next}`
  return <span title={text}>{text}</span>
}

const RolloutRow = ({ rollout }: { rollout: Rollout }) => {
  const params = { ...route.useParams(), rolloutId: rollout.id }
  const navigate = useNavigate()
  const to = `${project}/releases/rollouts/$rolloutId` as const
  const { shape, word } = rolloutDisplay(rollout)
  return (
    <Table.Row onOpen={() => void navigate({ to, params })} dimmed={rollout.ended_at !== null}>
      <Table.Cell at="lead">
        <Link to={to} params={params} className={link()} data-ink title={rollout.name}>
          {rollout.name}
        </Link>
      </Table.Cell>
      <Table.Cell mono className={roomyOnly}>
        {rollout.display_version ?? rollout.version}
      </Table.Cell>
      <Table.Cell at="sub" title={word}>
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell at="subEnd" quiet>
        <NextStep rollout={rollout} />
      </Table.Cell>
      <Table.Cell className={roomyOnly}>
        <RolloutProgress name={rollout.name} summary={rollout.counts} />
      </Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={rollout.ended_at ?? rollout.started_at ?? rollout.created_at} />
      </Table.Cell>
    </Table.Row>
  )
}

/** Not awaited: the page shows its head and tools at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params, location }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(projectRolloutsQuery(api, params.projectId, filtersOf({ ...location.search })))

/** The rollouts of a project: those that wait for the reader first. */
export default function RolloutsPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const filter = useFilterText()
  const group = groupOf(search.group)
  const list = useList(projectRolloutsQuery(api, params.projectId, filtersOf(search)), {
    rows: (page) => page.rollouts,
    pace: paces.fleet,
  })
  const groups = list.first?.groups
  const choose = (chosen: RolloutGroup) =>
    void navigate({ to: '.', search: (kept) => ({ ...kept, group: chosen === 'open' ? undefined : chosen }), replace: true })
  const labelOf = (words: string, count: number | undefined) => (count === undefined ? words : `${words} ${formatCount(count)}`)
  const hasEnded = (groups?.ended ?? 0) > 0
  return (
    <ListPage
      list={list}
      filtered={filter.value !== undefined || group !== 'open'}
      onClear={() => {
        filter.clear()
        choose('open')
      }}
      head={<PageHead title="Rollouts" />}
      keepTools={hasEnded}
      emptyState={
        <EmptyState
          title="Not Found"
          action={
            hasEnded ? (
              <Button onClick={() => choose('ended')}>Show ended rollouts</Button>
            ) : (
              <Link to={`${project}/releases/list`} params={params} className={button({ variant: 'primary' })}>
                Releases
              </Link>
            )
          }
        >
          {hasEnded
            ? 'No rollout is open.'
            : 'A rollout offers a release to devices, in waves. Start one from the page of a signed release.'}
        </EmptyState>
      }
      tools={
        <ToolRow>
          <ListFilter label="Filter by name" filter={filter} wraps />
          <Segment
            small
            label="Which rollouts"
            items={[
              { value: 'open' as const, label: labelOf('Open', groups?.open) },
              { value: 'waiting' as const, label: labelOf('Waiting for you', groups?.waiting) },
              { value: 'ended' as const, label: labelOf('Ended', groups?.ended) },
            ]}
            value={group}
            onValueChange={choose}
          />
          <Freshness query={list.query} />
        </ToolRow>
      }
    >
      <ListTable
        caption="Rollouts"
        list={list}
        columns={6}
        head={
          <>
            <Table.Th>Name</Table.Th>
            <Table.Th className={cx(css({ w: '96' }), roomyOnly)}>Version</Table.Th>
            <Table.Th className={css({ w: '180' })}>State</Table.Th>
            <Table.Th className={css({ w: '[36%]' })}>Next step</Table.Th>
            <Table.Th className={cx(css({ w: '136' }), roomyOnly)}>Progress</Table.Th>
            <Table.Th align="end" className={css({ w: '96' })}>
              Since
            </Table.Th>
          </>
        }
      >
        {(rollout) => <RolloutRow key={rollout.id} rollout={rollout} />}
      </ListTable>
    </ListPage>
  )
}
