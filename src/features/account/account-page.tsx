import { useMutation, useSuspenseQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { endSessionMutation } from '../../api/mutations/users'
import { selfQuery } from '../../api/queries/self'
import { sessionsQuery } from '../../api/queries/sessions'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Pairs } from '../../ui/kv'
import { Page, PageHead } from '../../ui/page'
import { Panel } from '../../ui/panel'
import * as Table from '../../ui/table'
import { RelativeTime } from '../../ui/time'

const stack = css({ display: 'grid', gap: '16' })
const time = css({ w: '120' })

export default function AccountPage() {
  const { api, auth } = useSystem()
  const { data: user } = useSuspenseQuery(selfQuery(api))
  const { data: sessions } = useSuspenseQuery(sessionsQuery(api))
  const end = useMutation(endSessionMutation(api))
  return (
    <Page>
      <PageHead title="Account" />
      <div className={stack}>
        <Panel title="You">
          <Pairs
            facts={[
              { label: 'Name', value: user.full_name || '–' },
              { label: 'Email', value: user.email },
              { label: 'Plan', value: user.pricing_plan },
            ]}
          />
        </Panel>
        <Panel title="Sessions">
          <Table.Root caption="Sessions" scroll>
            <Table.Head>
              <Table.Th>Browser</Table.Th>
              <Table.Th className={time}>Address</Table.Th>
              <Table.Th className={time}>Last used</Table.Th>
              <Table.Th className={time} aria-label="End" />
            </Table.Head>
            <Table.Body>
              {sessions.map((session) => (
                <Table.Row key={session.id}>
                  <Table.Cell>{session.user_agent ?? 'unknown'}</Table.Cell>
                  <Table.Cell mono>{session.ip ?? '–'}</Table.Cell>
                  <Table.Cell>{session.current ? 'this one' : <RelativeTime value={session.last_used_at} />}</Table.Cell>
                  <Table.Cell align="end">
                    {session.current ? (
                      <Button size="small" onClick={() => auth.send({ type: 'signOut.asked' })}>
                        Sign Out
                      </Button>
                    ) : (
                      <Button size="small" onClick={() => end.mutate(session.id)}>
                        End
                      </Button>
                    )}
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          </Table.Root>
        </Panel>
      </div>
    </Page>
  )
}
