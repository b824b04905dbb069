import { accountDeletionQuery } from '../../api/queries/accounts/account-deletion'
import { accountEventsQuery } from '../../api/queries/accounts/account-events'
import { identitiesQuery } from '../../api/queries/accounts/identities'
import { secondFactorQuery } from '../../api/queries/accounts/second-factor'
import { selfQuery } from '../../api/queries/accounts/self'
import { sessionsQuery } from '../../api/queries/accounts/sessions'
import type { LoaderArgs } from '../../system/scope/guard'
import { Page, PageHead } from '../../ui/layout/page'
import { PanelStack } from '../../ui/layout/panel'
import { ActivityPanel } from './activity-panel'
import { DeletionPanel } from './deletion-panel'
import { FactorPanel } from './factor-panel'
import { IdentityPanel } from './identity-panel'
import { PasswordPanel } from './password-panel'
import { SessionsPanel } from './sessions-panel'

/** Waits only for the user: each panel waits for its own data. */
export const load = ({ context: { api, queryClient } }: LoaderArgs) => {
  void queryClient.prefetchQuery(secondFactorQuery(api))
  void queryClient.prefetchQuery(identitiesQuery(api))
  void queryClient.prefetchQuery(sessionsQuery(api))
  void queryClient.prefetchInfiniteQuery(accountEventsQuery(api))
  void queryClient.prefetchQuery(accountDeletionQuery(api))
  return queryClient.ensureQueryData(selfQuery(api))
}

/** Password, second factor, sessions, activity, and the deletion of the account. */
export default function SecurityPage() {
  return (
    <Page>
      <PageHead title="Security" />
      <PanelStack>
        <PasswordPanel />
        <FactorPanel />
        <IdentityPanel />
        <SessionsPanel />
        <ActivityPanel />
        <DeletionPanel />
      </PanelStack>
    </Page>
  )
}
