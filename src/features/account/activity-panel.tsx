import { css } from 'styled-system/css'
import type { AccountEvent } from '../../../contract/accounts/account-activity'
import { accountEventsQuery } from '../../api/queries/accounts/account-events'
import { paces } from '../../api/refresh'
import { formatUserAgent } from '../../../contract/accounts/user-agent'
import { FailureBox } from '../../system/failure/failure-box'
import { useList } from '../../system/list/list'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { Freshness } from '../../system/refresh/freshness'
import { EmptyState } from '../../ui/layout/notice'
import { Panel, PanelBody } from '../../ui/layout/panel'
import { RowSkeletons } from '../../ui/list/row-skeletons'
import * as Table from '../../ui/list/table'
import { DateTime } from '../../ui/text/time'
import { eventText, isAlarming } from './event-text'

const dates = css({ w: '160' })
const addresses = css({ w: '112' })
const clients = css({ w: '200' })
const columns = 4

const EventRow = ({ event }: { event: AccountEvent }) => (
  <Table.Row>
    <Table.Cell at="lead" wrap>
      {isAlarming(event) ? <Status shape="warning">{eventText(event)}</Status> : eventText(event)}
    </Table.Cell>
    <Table.Cell quiet at="end">
      <DateTime value={event.occurred_at} />
    </Table.Cell>
    <Table.Cell mono quiet at="sub">
      {event.ip ?? '–'}
    </Table.Cell>
    <Table.Cell quiet at="subEnd">
      <span title={event.user_agent ?? undefined}>{event.current ? 'This browser' : formatUserAgent(event.user_agent)}</span>
    </Table.Cell>
  </Table.Row>
)

/** The events of the user's own account, newest first: shows access by others. */
export const ActivityPanel = () => {
  const { api } = useSystem()
  const list = useList(
    { ...accountEventsQuery(api), refetchOnMount: 'always' },
    { rows: (page) => page.events, pace: paces.list },
  )
  return (
    <Panel flush title="Recent activity" aside={<Freshness query={list.query} />}>
      {list.rows.length > 0 && <RefreshFailed query={{ error: list.error, refetch: list.retry }} />}
      {list.error && list.rows.length === 0 ? (
        <PanelBody>
          <FailureBox error={list.error} onRetry={list.retry} />
        </PanelBody>
      ) : list.isEmpty ? (
        <PanelBody>
          <EmptyState small title="Not Found">
            Sign-ins and changes of your account are listed here.
          </EmptyState>
        </PanelBody>
      ) : (
        <Table.Root caption="Recent activity" scroll stack>
          <Table.Head>
            <Table.Th>Event</Table.Th>
            <Table.Th className={dates}>Time</Table.Th>
            <Table.Th className={addresses}>Address</Table.Th>
            <Table.Th className={clients}>Browser</Table.Th>
          </Table.Head>
          {list.isPending ? (
            <RowSkeletons columns={columns} />
          ) : (
            <Table.Body>
              {list.rows.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </Table.Body>
          )}
        </Table.Root>
      )}
      {list.hasMore && (
        <PanelBody>
          <Button size="small" busy={list.isLoadingMore} busyLabel="Loading..." onClick={list.loadMore}>
            Show more
          </Button>
        </PanelBody>
      )}
    </Panel>
  )
}
