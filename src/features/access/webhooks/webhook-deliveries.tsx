import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { deliveryDays, type Webhook, type WebhookDelivery } from '../../../../contract/accounts/webhooks'
import { webhookDeliveriesQuery } from '../../../api/queries/accounts/webhooks'
import { paces } from '../../../api/refresh'
import { FailureBox } from '../../../system/failure/failure-box'
import { lazyPart } from '../../../system/page/lazy'
import { useList } from '../../../system/list/list'
import { RefreshFailed } from '../../../system/refresh/refresh-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { Freshness } from '../../../system/refresh/freshness'
import { Panel, PanelBody, PanelRow, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'
import { deliveryDisplay, describeAttempt, receiverOf } from './webhook-display'

const DeliveryDialog = lazyPart(() => import('./delivery-dialog').then((part) => part.DeliveryDialog))

const narrowOnly = css({ hideFrom: 'md' })

const Row = ({ delivery, onOpen }: { delivery: WebhookDelivery; onOpen: () => void }) => {
  const { shape, word } = deliveryDisplay[delivery.state]
  const { last_attempt: last, next_attempt_at: next } = delivery
  return (
    <Table.Row>
      <Table.Cell at="lead" mono>
        {delivery.type}
      </Table.Cell>
      <Table.Cell>
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell at="sub" quiet>
        <span className={narrowOnly}>{word}, </span>
        {describeAttempt(delivery)}
        {next !== null && last !== null && (
          <>
            , again <DateTime value={next} />
          </>
        )}
      </Table.Cell>
      <Table.Cell align="end">{delivery.attempts}</Table.Cell>
      <Table.Cell align="end">{last === null ? '–' : `${last.duration_ms} ms`}</Table.Cell>
      <Table.Cell at="subEnd" quiet>
        <DateTime value={delivery.created_at} />
      </Table.Cell>
      <Table.Cell align="end" at="end">
        <Button size="small" aria-label={`Details of ${delivery.type}`} onClick={onOpen}>
          Details
        </Button>
      </Table.Cell>
    </Table.Row>
  )
}

/** What was sent to a webhook in the last 30 days, newest first. */
export const WebhookDeliveries = ({ webhook }: { webhook: Webhook }) => {
  const { api } = useSystem()
  const [opened, setOpened] = useState<string>()
  const list = useList(webhookDeliveriesQuery(api, webhook.id), { rows: (page) => page.deliveries, pace: paces.event })
  const delivery = list.rows.find(({ id }) => id === opened)
  return (
    <Panel flush title={`Deliveries to ${receiverOf(webhook)}`} aside={<Freshness query={list.query} />}>
      {list.isPending && <PanelSkeletons />}
      {list.error && list.rows.length === 0 && (
        <PanelBody>
          <FailureBox error={list.error} onRetry={list.retry} />
        </PanelBody>
      )}
      {list.rows.length > 0 && <RefreshFailed query={{ error: list.error, refetch: list.retry }} />}
      {list.isEmpty && (
        <PanelRow>Nothing was sent in the last {deliveryDays} days. Send a test, or wait for the next event.</PanelRow>
      )}
      {list.rows.length > 0 && (
        <Table.Root caption="Deliveries" auto scroll stack>
          <Table.Head>
            <Table.Th>Event</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Last attempt</Table.Th>
            <Table.Th align="end">Attempts</Table.Th>
            <Table.Th align="end">Duration</Table.Th>
            <Table.Th>Time</Table.Th>
            <Table.Th aria-label="Actions" />
          </Table.Head>
          <Table.Body>
            {list.rows.map((row) => (
              <Row key={row.id} delivery={row} onOpen={() => setOpened(row.id)} />
            ))}
          </Table.Body>
        </Table.Root>
      )}
      {list.hasMore && (
        <PanelBody>
          <Button size="small" busy={list.isLoadingMore} busyLabel="Loading..." onClick={list.loadMore}>
            Show more
          </Button>
        </PanelBody>
      )}
      <Suspense>
        {delivery && <DeliveryDialog webhook={webhook} delivery={delivery} onClose={() => setOpened(undefined)} />}
      </Suspense>
    </Panel>
  )
}
