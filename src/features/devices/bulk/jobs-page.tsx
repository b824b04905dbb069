import { getRouteApi, Link } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { type DeviceJob, deviceJobDays } from '../../../../contract/fleet/device-jobs'
import { deviceJobsQuery } from '../../../api/queries/fleet/device-jobs'
import { paces } from '../../../api/refresh'
import { formatCount } from '../../../lib/amounts'
import { BackLink } from '../../../system/page/back'
import type { LoaderArgs } from '../../../system/scope/guard'
import { useList } from '../../../system/list/list'
import { ListPage } from '../../../system/list/list-page'
import { useSystem } from '../../../system/system'
import { Status } from '../../../ui/text/chip'
import { Freshness } from '../../../system/refresh/freshness'
import { ListTable } from '../../../ui/list/list-table'
import { EmptyState } from '../../../ui/layout/notice'
import { PageHead, ToolRow } from '../../../ui/layout/page'
import * as Table from '../../../ui/list/table'
import { RelativeTime } from '../../../ui/text/time'
import { roomyOnly } from '../list/device-columns'
import { describeJob, jobDisplay } from './job-text'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/jobs/')

/** Not awaited: the page shows its head at once, and the rows later. */
export const load = ({ context: { api, queryClient }, params }: LoaderArgs<'projectId'>) =>
  void queryClient.prefetchInfiniteQuery(deviceJobsQuery(api, params.projectId))

const JobRow = ({ job }: { job: DeviceJob }) => {
  const { shape, word } = jobDisplay(job)
  const reached = job.total - job.counts.waiting - job.counts.cancelled
  return (
    <Table.Row>
      <Table.Cell at="lead">
        <Link
          to="/organizations/$organizationId/projects/$projectId/devices/jobs/$jobId"
          params={{ ...route.useParams(), jobId: job.id }}
          className={link()}
          data-ink
        >
          {describeJob(job)}
        </Link>
      </Table.Cell>
      <Table.Cell at="sub">
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell align="end" at="subEnd">
        {formatCount(reached)} of {formatCount(job.total)}
      </Table.Cell>
      <Table.Cell className={roomyOnly}>{job.created_by.name}</Table.Cell>
      <Table.Cell align="end" quiet at="end">
        <RelativeTime value={job.created_at} />
      </Table.Cell>
    </Table.Row>
  )
}

/** The bulk changes of the devices of a project, newest first. */
export default function JobsPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const list = useList(deviceJobsQuery(api, params.projectId), { rows: (page) => page.jobs, pace: paces.fleet })
  return (
    <ListPage
      list={list}
      head={
        <PageHead
          title="Bulk Changes"
          crumbs={[
            <BackLink key="list" to="/organizations/$organizationId/projects/$projectId/devices/list" params={params}>
              Devices
            </BackLink>,
            'Bulk changes',
          ]}
        />
      }
      tools={
        <ToolRow>
          <Freshness query={list.query} />
        </ToolRow>
      }
      emptyState={
        <EmptyState small title="Not Found">
          Select devices in the list to change them together. Each bulk change is kept here for {deviceJobDays} days.
        </EmptyState>
      }
    >
      <ListTable
        caption="Bulk changes"
        list={list}
        columns={5}
        skeletons={4}
        head={
          <>
            <Table.Th>Change</Table.Th>
            <Table.Th className={css({ w: '232' })}>State</Table.Th>
            <Table.Th className={css({ w: '180' })} align="end">
              Devices
            </Table.Th>
            <Table.Th className={roomyOnly}>By</Table.Th>
            <Table.Th className={css({ w: '112' })} align="end">
              Started
            </Table.Th>
          </>
        }
      >
        {(job) => <JobRow key={job.id} job={job} />}
      </ListTable>
    </ListPage>
  )
}
