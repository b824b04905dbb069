import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { deviceJob, deviceJobRows, deviceJobs, type RowResult } from '../../../../contract/fleet/device-jobs'
import type { Api } from '../../client'

/** The jobs that change devices of a project, newest first. */
export const deviceJobsQuery = (api: Api, projectId: string) =>
  infiniteQueryOptions({
    queryKey: ['device-jobs', projectId],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      api(deviceJobs, { projectId }, { query: { ...(pageParam !== undefined && { cursor: pageParam }) }, signal }),
    getNextPageParam: (last) => last.next_cursor ?? undefined,
  })

export const deviceJobQuery = (api: Api, jobId: string) =>
  queryOptions({ queryKey: ['device-job', jobId], queryFn: ({ signal }) => api(deviceJob, { jobId }, { signal }) })

/** The devices of a job, by name; of one result, or all. */
export const deviceJobRowsQuery = (api: Api, jobId: string, result?: RowResult) =>
  infiniteQueryOptions({
    queryKey: ['device-job', jobId, 'rows', result],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(result !== undefined && { result }), ...(pageParam !== undefined && { cursor: pageParam }) }
      return api(deviceJobRows, { jobId }, { query, signal })
    },
    getNextPageParam: (last) => last.next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })
