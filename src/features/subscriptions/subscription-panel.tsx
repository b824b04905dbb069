import { css } from 'styled-system/css'
import type { Subscription } from '../../../contract/accounts/subscriptions'
import { Status } from '../../ui/text/chip'
import { FactStrip } from '../../ui/layout/facts'
import { Callout } from '../../ui/layout/notice'
import { Panel } from '../../ui/layout/panel'
import { Invoices } from './invoices'
import { SubscriptionActions } from './subscription-actions'
import { cardOf, duplicatesText, measuresOf, noteOf, periodOf, stateOf } from './subscription-text'
import { UsageList } from './usage-list'

const body = css({ display: 'grid', gap: '16', gridTemplateColumns: 'minmax(0, 1fr)', p: '16' })
const invoices = css({ borderTop: 'line' })

/** One billing account: its plan, its use, and its payments. */
export const SubscriptionPanel = ({ subscription }: { subscription: Subscription }) => {
  const state = stateOf(subscription)
  const period = periodOf(subscription)
  const note = noteOf(subscription)
  const duplicates = duplicatesText(subscription)
  const measures = measuresOf(subscription)
  return (
    <Panel
      flush
      title={subscription.scope === 'personal' ? 'Personal projects' : subscription.name}
      aside={<SubscriptionActions subscription={subscription} />}
    >
      <div className={body}>
        {note && <Callout kind={subscription.state === 'past_due' ? 'error' : 'warning'}>{note}</Callout>}
        {duplicates && <Callout kind="error">{duplicates}</Callout>}
        <FactStrip
          plain
          facts={[
            { label: 'Plan', value: subscription.plan },
            { label: 'Subscription', value: <Status shape={state.shape}>{state.word}</Status> },
            period,
            ...(subscription.manageable ? [{ label: 'Payment method', value: cardOf(subscription) }] : []),
          ]}
        />
        <UsageList measures={measures} />
        {subscription.plan === 'developer' && measures.some(({ over }) => over) && (
          <Callout kind="info">Existing items keep working. Upgrade to add more.</Callout>
        )}
      </div>
      {subscription.invoices.length > 0 && (
        <div className={invoices}>
          <Invoices invoices={subscription.invoices} />
        </div>
      )}
    </Panel>
  )
}
