import { useSuspenseQuery } from '@tanstack/react-query'
import { subscriptionsQuery } from '../../api/queries/accounts/subscriptions'
import type { LoaderArgs } from '../../system/scope/guard'
import { useSystem } from '../../system/system'
import { Page, PageHead } from '../../ui/layout/page'
import { PanelStack } from '../../ui/layout/panel'
import { SubscriptionPanel } from './subscription-panel'

export const load = ({ context: { api, queryClient } }: LoaderArgs) => queryClient.ensureQueryData(subscriptionsQuery(api))

/** §1: plans, their use, and the link to the billing portal. */
export default function SubscriptionsPage() {
  const { api } = useSystem()
  const { data: subscriptions } = useSuspenseQuery(subscriptionsQuery(api))
  return (
    <Page>
      <PageHead title="Subscriptions" />
      <PanelStack>
        {subscriptions.map((subscription) => (
          <SubscriptionPanel key={subscription.organization_id ?? 'personal'} subscription={subscription} />
        ))}
      </PanelStack>
    </Page>
  )
}
