import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { maxWebhooks, type Webhook } from '../../../../contract/accounts/webhooks'
import { webhooksQuery } from '../../../api/queries/accounts/webhooks'
import { every, paces } from '../../../api/refresh'
import { pluralize } from '../../../lib/pluralize'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { lazyPart } from '../../../system/page/lazy'
import { RefreshFailed } from '../../../system/refresh/refresh-failed'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Status } from '../../../ui/text/chip'
import { Freshness } from '../../../system/refresh/freshness'
import { Icon } from '../../../ui/icon/icon'
import { Banner, EmptyState } from '../../../ui/layout/notice'
import { Page, PageHead } from '../../../ui/layout/page'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import * as Table from '../../../ui/list/table'
import { DateTime } from '../../../ui/text/time'
import { WebhookDeliveries } from './webhook-deliveries'
import { webhookDisplay } from './webhook-display'
import { WebhookMenu } from './webhook-menu'
import { WebhookNotice } from './webhook-notice'

const AddWebhook = lazyPart(() => import('./add-webhook-dialog').then((part) => part.AddWebhookDialog))
const EditWebhook = lazyPart(() => import('./edit-webhook-dialog').then((part) => part.EditWebhookDialog))
const RotateWebhook = lazyPart(() => import('./rotate-webhook-dialog').then((part) => part.RotateWebhookDialog))

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/access_/webhooks')
const notice = css({ mb: '16' })
const stack = css({ display: 'grid', gap: '24', gridTemplateColumns: 'minmax(0, 1fr)' })
const narrowOnly = css({ hideFrom: 'md' })
// It has no spaces, and would otherwise get one letter a line beside wide columns.
const url = css({ minW: { md: '160' } })
const breaks = css({ overflowWrap: 'anywhere' })

type Dialog = { kind: 'edit' | 'rotate'; webhook: Webhook }
type RowProps = {
  webhook: Webhook
  chosen: boolean
  refused: string | undefined
  onDialog: (dialog: Dialog) => void
  onDeleted: () => void
}

const Row = ({ webhook, chosen, refused, onDialog, onDeleted }: RowProps) => {
  const { shape, word } = webhookDisplay[webhook.state]
  return (
    <Table.Row selected={chosen} dimmed={webhook.state === 'disabled'}>
      <Table.Cell at="lead" wrap className={url}>
        <Link
          from="/organizations/$organizationId/projects/$projectId/access/webhooks"
          search={{ webhook: webhook.id }}
          replace
          className={`${link()} ${breaks}`}
          aria-current={chosen ? 'true' : undefined}
        >
          {webhook.url}
        </Link>
      </Table.Cell>
      <Table.Cell>
        <Status shape={shape}>{word}</Status>
      </Table.Cell>
      <Table.Cell at="sub" quiet title={webhook.types.join('\n')}>
        <span className={narrowOnly}>{word}, </span>
        {pluralize(webhook.types.length, 'kind')} of events
      </Table.Cell>
      <Table.Cell quiet mono>
        {webhook.secret_prefix}…
      </Table.Cell>
      <Table.Cell quiet>{webhook.maker?.name ?? 'A deleted account'}</Table.Cell>
      <Table.Cell at="subEnd">
        <DateTime value={webhook.last_delivery_at} never="never" />
        {webhook.last_delivery_at === null && <span className={narrowOnly}> delivered</span>}
      </Table.Cell>
      <Table.Cell menu align="end" at="end">
        <WebhookMenu webhook={webhook} refused={refused} onDialog={(kind) => onDialog({ kind, webhook })} onDeleted={onDeleted} />
      </Table.Cell>
    </Table.Row>
  )
}

/** The webhooks of a project, and what was sent to the chosen one. */
export default function WebhooksPage() {
  const { api } = useSystem()
  const params = route.useParams()
  const navigate = route.useNavigate()
  const { webhook: wanted } = route.useSearch()
  const { projectId } = params
  const refused = useRefusal('project:update')
  const [adding, setAdding] = useState(false)
  const [dialog, setDialog] = useState<Dialog>()
  const query = useQuery({ ...webhooksQuery(api, projectId), refetchInterval: every(paces.event) })
  const { data: webhooks, error, refetch } = query
  const chosen = wanted === undefined ? webhooks?.[0] : webhooks?.find(({ id }) => id === wanted)
  const forget = (deleted: string) => {
    if (deleted === wanted) void navigate({ search: (kept) => ({ ...kept, webhook: undefined }), replace: true })
  }
  const full = webhooks && webhooks.length >= maxWebhooks ? `A project can have at most ${maxWebhooks} webhooks.` : undefined
  const add = (
    <Button variant="primary" icon={<Icon name="plus" size={14} />} refused={refused ?? full} onClick={() => setAdding(true)}>
      Add webhook
    </Button>
  )
  return (
    <Page>
      <PageHead
        crumbs={[
          <Link key="access" to="/organizations/$organizationId/projects/$projectId/access" params={params}>
            Access
          </Link>,
          'Webhooks',
        ]}
        title="Webhooks"
        actions={webhooks?.length ? add : undefined}
      />
      {webhooks && !chosen && wanted !== undefined && (
        <div className={notice}>
          <Banner kind="info">The webhook of this link does not exist any more. It was deleted.</Banner>
        </div>
      )}
      {webhooks?.length === 0 && (
        <EmptyState title="No webhooks yet" action={add}>
          A webhook sends events of this project, such as a halted rollout, to your own server as signed requests.
        </EmptyState>
      )}
      {!webhooks &&
        (error ? (
          <FailureBox error={error} onRetry={() => void refetch()} />
        ) : (
          <Panel flush title="Receivers">
            <PanelSkeletons />
          </Panel>
        ))}
      {webhooks && webhooks.length > 0 && (
        <div className={stack}>
          <Panel flush title="Receivers" aside={<Freshness query={query} />}>
            <RefreshFailed query={query} />
            <Table.Root caption="Webhooks" auto scroll stack>
              <Table.Head>
                <Table.Th>URL</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Events</Table.Th>
                <Table.Th>Secret</Table.Th>
                <Table.Th>Made by</Table.Th>
                <Table.Th>Last delivery</Table.Th>
                <Table.Th aria-label="Actions" />
              </Table.Head>
              <Table.Body>
                {webhooks.map((webhook) => (
                  <Row
                    key={webhook.id}
                    webhook={webhook}
                    chosen={webhooks.length > 1 && webhook === chosen}
                    refused={refused}
                    onDialog={setDialog}
                    onDeleted={() => forget(webhook.id)}
                  />
                ))}
              </Table.Body>
            </Table.Root>
          </Panel>
          {chosen && (
            <>
              <WebhookNotice webhook={chosen} />
              <WebhookDeliveries key={chosen.id} webhook={chosen} />
            </>
          )}
        </div>
      )}
      <Suspense>
        {adding && <AddWebhook projectId={projectId} onClose={() => setAdding(false)} />}
        {dialog?.kind === 'edit' && <EditWebhook webhook={dialog.webhook} onClose={() => setDialog(undefined)} />}
        {dialog?.kind === 'rotate' && <RotateWebhook webhook={dialog.webhook} onClose={() => setDialog(undefined)} />}
      </Suspense>
    </Page>
  )
}
