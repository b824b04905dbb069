import { useMutation } from '@tanstack/react-query'
import { button } from 'styled-system/recipes'
import type { Subscription } from '../../../contract/accounts/subscriptions'
import { createCheckoutMutation } from '../../api/mutations/accounts/subscriptions'
import { refusalOf } from '../../system/scope/grants'
import { notify } from '../../system/failure/notify'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Icon } from '../../ui/icon/icon'

const here = '/account/settings/subscriptions'

/** Two links to the billing provider: to subscribe, and for everything else. */
export const SubscriptionActions = ({ subscription }: { subscription: Subscription }) => {
  const { api, environment } = useSystem()
  const checkout = useMutation({
    ...createCheckoutMutation(api),
    onSuccess: ({ url }) => window.location.assign(url),
    onError: () => void notify({ kind: 'error', text: 'The billing page could not be opened' }),
  })
  const refused = subscription.manageable ? undefined : refusalOf(['organization:manage_billing'], true)
  const start = () =>
    checkout.mutate({
      organization_id: subscription.organization_id,
      price_id: environment.price,
      success_path: here,
      cancel_path: here,
    })
  return (
    <>
      {subscription.id !== null &&
        (refused === undefined ? (
          <a href={environment.portal} className={button({ size: 'small' })}>
            Billing portal
            <Icon name="ext" size={12} />
          </a>
        ) : (
          <Button size="small" refused={refused} data-organization={subscription.organization_id}>
            Billing portal
          </Button>
        ))}
      {subscription.plan === 'developer' && (
        <Button
          size="small"
          variant={subscription.scope === 'personal' ? 'primary' : 'secondary'}
          refused={refused}
          data-organization={subscription.organization_id}
          busy={checkout.isPending || checkout.isSuccess}
          busyLabel="Opening..."
          onClick={start}
        >
          Upgrade to production
        </Button>
      )}
    </>
  )
}
