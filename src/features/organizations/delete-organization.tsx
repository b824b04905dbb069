import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Suspense, useState } from 'react'
import { link } from 'styled-system/recipes'
import type { Organization } from '../../../contract/accounts/organization'
import type { Subscription } from '../../../contract/accounts/subscriptions'
import { subscriptionsQuery } from '../../api/queries/accounts/subscriptions'
import { useRefusal } from '../../system/scope/grants'
import { lazyPart } from '../../system/page/lazy'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Panel } from '../../ui/layout/panel'

const DeleteOrganizationDialog = lazyPart(() =>
  import('./delete-organization-dialog').then((part) => part.DeleteOrganizationDialog),
)

/** An organization with projects cannot be deleted: shown before the user types its name. */
const full = ({ project_count: projects }: Organization) =>
  projects === 0 ? undefined : `It still has ${projects === 1 ? 'one project' : `${projects} projects`}. Delete those first.`

/** Neither can one for which somebody would go on paying: the server refuses it (`has_subscription`). */
const isPaidOn = ({ state, cancel_at_period_end: ends }: Subscription) => state !== 'none' && state !== 'canceled' && !ends
const paid = 'Deleting the organization would not end its subscription. Cancel the subscription first.'

export const DeleteOrganization = ({ organization }: { organization: Organization }) => {
  const { api } = useSystem()
  const lacking = useRefusal('organization:delete')
  const { data: subscriptions } = useQuery({ ...subscriptionsQuery(api), enabled: lacking === undefined })
  const [asked, setAsked] = useState(false)
  const own = subscriptions?.find((subscription) => subscription.organization_id === organization.public_id)
  const isPaid = own !== undefined && isPaidOn(own)
  const refused = lacking ?? full(organization) ?? (isPaid ? paid : undefined)
  return (
    <Panel
      title="Delete organization"
      aside={
        <Button variant="dangerOutline" {...(refused !== undefined && { refused })} onClick={() => setAsked(true)}>
          Delete organization
        </Button>
      }
    >
      <p>{full(organization) ?? (isPaid ? paid : 'Members lose access and open invites stop working. This cannot be undone.')}</p>
      {isPaid && (
        <Link to="/account/settings/subscriptions" className={link()}>
          Subscriptions
        </Link>
      )}
      {asked && (
        <Suspense>
          <DeleteOrganizationDialog organization={organization} onClose={() => setAsked(false)} />
        </Suspense>
      )}
    </Panel>
  )
}
