import { keepPreviousData } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { systemLogsQuery } from '../../api/queries/devices'
import { paces } from '../../api/refresh'
import { pluralize } from '../../lib/pluralize'
import { FailureBox } from '../../system/failure-box'
import { useFilterText } from '../../system/filter-text'
import { useList } from '../../system/list'
import { ListFilter } from '../../system/list-page'
import { useSystem } from '../../system/system'
import { Switch } from '../../ui/choice'
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
  const filters = { limit: 200, level_max: level, ...(filter.value !== undefined && { q: filter.value }) }
  const list = useList(
    { ...systemLogsQuery(api, deviceId, filters), placeholderData: keepPreviousData },
    { rows: (page) => page.lines, pace: live ? paces.log : null },
  )
  const narrowed = filter.value !== undefined || level !== 'debug'
  const dropped = list.first?.dropped ?? 0
  return (
    <>
      <ToolRow>
        <ListFilter label="Filter by text" filter={filter} wraps />
        <Segment small label="Minimum level" items={levels} value={level} onValueChange={setLevel} />
        <Switch checked={live} onChange={(event) => setLive(event.target.checked)}>
          Live
        </Switch>
      </ToolRow>
      {list.error && list.rows.length === 0 ? (
        <FailureBox error={list.error} onRetry={list.retry} />
      ) : list.isEmpty ? (
        <EmptyState small={narrowed} title="Not Found">
          {narrowed ? undefined : 'Log lines appear when the client runs with logs enabled.'}
        </EmptyState>
      ) : (
        <>
          <LogLines lines={list.rows} pending={list.isPending} onEnd={list.loadMore} />
          <p className={log.foot} role="status">
            {live ? 'Following' : 'Paused'}
            {dropped > 0 && ` · ${pluralize(dropped, 'line')} dropped`}
          </p>
        </>
      )}
    </>
  )
}
