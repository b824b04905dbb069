import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { css } from 'styled-system/css'
import { systemLogsQuery } from '../../api/queries/devices'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure-box'
import { useFilterText } from '../../system/filter-text'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/choice'
import { SearchInput } from '../../ui/input'
import { EmptyState } from '../../ui/notice'
import { ToolRow } from '../../ui/page'
import { Segment } from '../../ui/segment'
import { log } from './log.recipe'
import { LogLines } from './log-lines'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId')
const levels = [
  { value: 'debug', label: 'All' },
  { value: 'info', label: 'Info' },
  { value: 'warning', label: 'Warnings' },
  { value: 'err', label: 'Errors' },
] as const
type Level = (typeof levels)[number]['value']

/** The device's log, newest first; follows new lines while Live is on. */
export default function SystemLogsPage(): ReactNode {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const filter = useFilterText()
  const [level, setLevel] = useState<Level>('debug')
  const [live, setLive] = useState(true)
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...systemLogsQuery(api, deviceId, { limit: 200, level_max: level, ...(filter.value !== undefined && { q: filter.value }) }),
    refetchInterval: live ? 2000 : false,
    placeholderData: keepPreviousData,
  })
  const lines = data?.pages.flatMap((page) => page.lines) ?? []
  const narrowed = filter.value !== undefined || level !== 'debug'
  const dropped = data?.pages[0]?.dropped ?? 0
  return (
    <>
      <ToolRow>
        <SearchInput small className={css({ w: { base: 'full', md: '232' } })} label="Filter by text" {...filter.input} />
        <Segment small label="Minimum level" items={levels} value={level} onValueChange={setLevel} />
        <Switch checked={live} onChange={(event) => setLive(event.target.checked)}>
          Live
        </Switch>
      </ToolRow>
      {error && lines.length === 0 ? (
        <FailureBox error={error} onRetry={() => void refetch()} />
      ) : !isPending && lines.length === 0 ? (
        <EmptyState small={narrowed} title="Not Found">
          {narrowed ? undefined : 'Log lines appear when the client runs with logs enabled.'}
        </EmptyState>
      ) : (
        <>
          <LogLines lines={lines} pending={isPending} onEnd={() => hasNextPage && !isFetchingNextPage && void fetchNextPage()} />
          <p className={log.foot} role="status">
            {live ? 'Following' : 'Paused'}
            {dropped > 0 && ` · ${pluralize(dropped, 'line')} dropped`}
          </p>
        </>
      )}
    </>
  )
}
