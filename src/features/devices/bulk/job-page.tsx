import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { type DeviceJobRow, type DeviceJobWithFailures, type RowResult, rowResults } from '../../../../contract/fleet/device-jobs'
import { cancelDeviceJobMutation, undoDeviceJobMutation } from '../../../api/mutations/fleet/device-jobs'
import { deviceJobQuery, deviceJobRowsQuery } from '../../../api/queries/fleet/device-jobs'
import { every, paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { BackLink } from '../../../system/page/back'
import { useRefusal } from '../../../system/scope/grants'
import type { LoaderArgs } from '../../../system/scope/guard'
import { fetchPart } from '../../../system/page/lazy'
import { useList } from '../../../system/list/list'
import { ListSection } from '../../../system/list/list-page'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Chip, Status } from '../../../ui/text/chip'
import { FactStrip } from '../../../ui/layout/facts'
import { ListTable } from '../../../ui/list/list-table'
import { Callout } from '../../../ui/layout/notice'
import { Page, PageHead, ToolRow } from '../../../ui/layout/page'
import { Progress } from '../../../ui/layout/progress'
import { Segment } from '../../../ui/form/segment'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'
import { notifyFailed } from '../../../system/failure/notify-failed'
import { describeJob, jobDisplay, resultDisplay } from './job-text'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/jobs/$jobId')
const path = '/organizations/$organizationId/projects/$projectId/devices/jobs' as const
const bar = css({ display: 'grid', my: '16' })

const isResult = (value: unknown): value is RowResult => rowResults.some((one) => one === value)
const resultOf = ({ result }: { result?: unknown }): RowResult | undefined => (isResult(result) ? result : undefined)

/** The page needs its job; the rows follow. */
export const load = async ({ context: { api, queryClient }, params, location }: LoaderArgs<'jobId'>) => {
  void queryClient.prefetchInfiniteQuery(deviceJobRowsQuery(api, params.jobId, resultOf(location.search)))
  return { name: describeJob(await queryClient.ensureQueryData(deviceJobQuery(api, params.jobId))) }
}

const Steps = ({ job }: { job: DeviceJobWithFailures }) => {
  const { api, modals } = useSystem()
  const navigate = route.useNavigate()
  const refused = useRefusal('project:manage_devices')
  const cancel = useMutation({ ...cancelDeviceJobMutation(api), onError: notifyFailed })
  const undo = useMutation({ ...undoDeviceJobMutation(api), onError: notifyFailed })
  const ask = async (question: { title: string; text: string; accept: string }) => {
    const { confirm } = await fetchPart(() => import('../../../system/modals/confirm'))
    return confirm(modals, { ...question, decline: 'Back', danger: true })
  }
  const end = async () => {
    const isFinal = job.action === 'decommission'
    const question = {
      title: 'Cancel this bulk change?',
      text: `The ${pluralize(job.counts.done, 'device')} changed so far stay changed${isFinal ? '' : '; undo is offered then'}. The others stay as they are.`,
      accept: 'Cancel bulk change',
    }
    if (await ask(question)) await cancel.mutateAsync(job.id).catch(() => undefined)
  }
  const revert = async () => {
    const question = {
      title: `Undo for ${pluralize(job.counts.done, 'device')}?`,
      text: 'Each gets back what this bulk change has changed. Devices of which that was changed again since are skipped and named.',
      accept: 'Undo',
    }
    if (!(await ask(question))) return
    const made = await undo.mutateAsync(job.id).catch(() => undefined)
    if (made) await navigate({ to: `${path}/$jobId`, params: (kept) => ({ ...kept, jobId: made.job_id }), search: {} })
  }
  if (job.state === 'running')
    return (
      <Button
        variant="dangerOutline"
        refused={refused}
        busy={cancel.isPending}
        busyLabel="Cancelling..."
        onClick={() => void end()}
      >
        Cancel
      </Button>
    )
  return job.can_undo ? (
    <Button refused={refused} busy={undo.isPending} busyLabel="Starting..." onClick={() => void revert()}>
      Undo
    </Button>
  ) : null
}

const Notes = ({ job }: { job: DeviceJobWithFailures }) => {
  const params = route.useParams()
  const to = (jobId: string, text: string) => (
    <Link to={`${path}/$jobId`} params={{ ...params, jobId }} search={{}} className={link()}>
      {text}
    </Link>
  )
  return (
    <>
      {job.stop_reason !== null && (
        <Callout kind="error">
          {job.stop_reason}. {pluralize(job.counts.cancelled, 'device was', 'devices were')} not reached and{' '}
          {job.counts.cancelled === 1 ? 'stays' : 'stay'} as before.
        </Callout>
      )}
      {job.state === 'cancelled' && (
        <Callout kind="info">
          {pluralize(job.counts.done, 'device')} had been changed and stay changed;{' '}
          {pluralize(job.counts.cancelled, 'device was', 'devices were')} not reached.
        </Callout>
      )}
      {job.action === 'decommission' && <Callout kind="info">A decommission can never be undone.</Callout>}
      {job.undone_by !== null && (
        <Callout kind="info">This bulk change was undone {to(job.undone_by, 'by another one')}.</Callout>
      )}
      {job.undo_of !== null && <Callout kind="info">This undoes {to(job.undo_of, 'another bulk change')}.</Callout>}
    </>
  )
}

const ResultRow = ({ row }: { row: DeviceJobRow }) => {
  const { organizationId, projectId } = route.useParams()
  const { shape, word } = resultDisplay[row.result]
  const isHere = row.device.project_id === projectId
  const name = <code title={row.device.name}>{row.device.name}</code>
  return (
    <Table.Row>
      <Table.Cell at="lead">
        {isHere ? (
          <Link
            to="/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/update-events"
            params={{ organizationId, projectId, deviceId: row.device.id }}
            className={link()}
            data-ink
          >
            {name}
          </Link>
        ) : (
          name
        )}
      </Table.Cell>
      <Table.Cell at="end">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell wrap at="sub" quiet>
        {row.message ?? (isHere ? '–' : 'It is in the other project now')}
      </Table.Cell>
    </Table.Row>
  )
}

const Rows = ({ job }: { job: DeviceJobWithFailures }) => {
  const { api } = useSystem()
  const { jobId } = route.useParams()
  const navigate = route.useNavigate()
  const result = resultOf(route.useSearch())
  const running = job.state === 'running'
  const list = useList(deviceJobRowsQuery(api, jobId, result), {
    rows: (page) => page.rows,
    pace: running ? paces.event : null,
  })
  const choose = (value: RowResult | 'all') =>
    void navigate({
      search: (kept) => ({ ...kept, result: value === 'all' ? undefined : value }),
      replace: true,
      resetScroll: false,
    })
  const shown = rowResults.filter((one) => job.counts[one] > 0 || one === result)
  return (
    <ListSection
      list={list}
      filtered={result !== undefined}
      onClear={() => choose('all')}
      tools={
        <ToolRow>
          <Segment
            small
            label="Devices by result"
            value={result ?? 'all'}
            onValueChange={choose}
            items={[
              { value: 'all', label: `All ${formatCount(job.total)}` },
              ...shown.map((one) => ({ value: one, label: `${resultDisplay[one].word} ${formatCount(job.counts[one])}` })),
            ]}
          />
        </ToolRow>
      }
    >
      <ListTable
        caption="Devices of the bulk change"
        list={list}
        columns={3}
        skeletons={8}
        head={
          <>
            <Table.Th>Device</Table.Th>
            <Table.Th className={css({ w: '136' })}>Result</Table.Th>
            <Table.Th>Reason</Table.Th>
          </>
        }
      >
        {(row) => <ResultRow key={row.position} row={row} />}
      </ListTable>
    </ListSection>
  )
}

/** One bulk change: how far it is, what it did to each device and why not, its end and its undo. */
export default function JobPage() {
  const { api } = useSystem()
  const { jobId, ...params } = route.useParams()
  const { data: job } = useSuspenseQuery({
    ...deviceJobQuery(api, jobId),
    refetchInterval: (query) => every(query.state.data?.state === 'running' ? paces.log : paces.list)(query),
  })
  const { shape, word } = jobDisplay(job)
  const { total, counts } = job
  const reached = total - counts.waiting - counts.cancelled
  const title = describeJob(job)
  return (
    <Page>
      <PageHead
        title={title}
        chips={<Chip shape={shape}>{word}</Chip>}
        actions={<Steps job={job} />}
        crumbs={[
          <BackLink key="jobs" to={path} params={params}>
            Bulk changes
          </BackLink>,
          title,
        ]}
      />
      <FactStrip
        facts={[
          { label: 'Devices', value: formatCount(total) },
          { label: 'Changed', value: formatCount(counts.done) },
          { label: 'Failed', value: formatCount(counts.failed) },
          ...(counts.skipped > 0 ? [{ label: 'Skipped', value: formatCount(counts.skipped) }] : []),
          { label: 'Started', value: <DateTime value={job.created_at} /> },
          { label: 'By', value: job.created_by.name },
        ]}
      />
      <div className={bar} aria-live="polite">
        <Progress
          value={total === 0 ? 1 : reached / total}
          kind={counts.failed + counts.skipped > 0 ? 'warning' : job.state === 'done' ? 'success' : 'info'}
          label={title}
        >
          {formatCount(reached)} of {pluralize(total, 'device')}
        </Progress>
      </div>
      <Notes job={job} />
      <Rows job={job} />
    </Page>
  )
}
