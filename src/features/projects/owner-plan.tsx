import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { link } from 'styled-system/recipes'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { organizationsQuery } from '../../api/queries/accounts/organizations'
import { selfQuery } from '../../api/queries/accounts/self'
import { subscriptionsQuery } from '../../api/queries/accounts/subscriptions'
import { useSystem } from '../../system/system'
import { ReadOnlyField } from '../../ui/form/field'
import { Callout } from '../../ui/layout/notice'

/** Shows the limits of the owner's plan and their use before they are reached. */
export const OwnerPlan = ({ scope }: { scope: string | null }) => {
  const { api } = useSystem()
  const { data: user } = useQuery(selfQuery(api))
  const { data: organizations } = useQuery(organizationsQuery(api))
  const { data: spaces } = useQuery(subscriptionsQuery(api))
  const plan = scope === null ? user?.pricing_plan : organizations?.find((one) => one.public_id === scope)?.plan
  if (plan === undefined) return null
  const limit = planLimits[plan].projects
  const used = spaces?.find(({ organization_id: id }) => id === scope)?.usage.projects
  return (
    <>
      <ReadOnlyField
        label="Plan"
        hint={used === undefined ? `Up to ${limit} projects.` : `${used} of ${limit} projects are in use.`}
      >
        {plan}
      </ReadOnlyField>
      {used !== undefined && used >= limit && (
        <Callout kind="warning">
          {plan === 'developer' ? (
            <>
              Upgrade to production or delete a project to add another.{' '}
              <Link to="/account/settings/subscriptions" className={link()}>
                Subscriptions
              </Link>
            </>
          ) : (
            'Delete a project to add another.'
          )}
        </Callout>
      )}
    </>
  )
}
