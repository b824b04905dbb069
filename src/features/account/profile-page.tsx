import { Suspense } from 'react'
import { css } from 'styled-system/css'
import { emailChangeQuery } from '../../api/queries/accounts/email-change'
import { identitiesQuery } from '../../api/queries/accounts/identities'
import { profileQuery } from '../../api/queries/accounts/profile'
import { selfQuery } from '../../api/queries/accounts/self'
import type { LoaderArgs } from '../../system/scope/guard'
import { lazyPart } from '../../system/page/lazy'
import { Page, PageHead } from '../../ui/layout/page'
import { Panel, PanelStack } from '../../ui/layout/panel'
import { Skeleton } from '../../ui/layout/skeleton'
import { ChannelSwitch } from './channel-switch'
import { EmailPanel } from './email-panel'
import { NameForm } from './name-form'
import { Picture } from './picture'

// Its searchable lists are larger than the rest of the page.
const AnswersForm = lazyPart(() => import('./answers-form').then((part) => part.AnswersForm))

/** A form has a margin below a page's head; a panel has one already. */
const flushTop = css({ mt: '-12' })

export const load = ({ context: { api, queryClient } }: LoaderArgs) => {
  void queryClient.prefetchQuery(emailChangeQuery(api))
  void queryClient.prefetchQuery(identitiesQuery(api))
  return Promise.all([queryClient.ensureQueryData(selfQuery(api)), queryClient.ensureQueryData(profileQuery(api))])
}

/** The user's name, picture, address, feature channel and questionnaire answers. */
export default function ProfilePage() {
  return (
    <Page>
      <PageHead title="Profile" />
      <PanelStack>
        <Panel title="You">
          <Picture />
          <div className={css({ mt: '12' })}>
            <NameForm />
          </div>
        </Panel>
        <EmailPanel />
        <Panel title="Feature channel">
          <ChannelSwitch />
        </Panel>
        <Panel title="About you" aside="Every field is optional">
          <div className={flushTop}>
            <Suspense fallback={<Skeleton height="control" />}>
              <AnswersForm />
            </Suspense>
          </div>
        </Panel>
      </PanelStack>
    </Page>
  )
}
