import { useMutation, useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import { endOtherSessionsMutation } from '../../api/mutations/accounts/account'
import { endSessionMutation } from '../../api/mutations/accounts/users'
import { sessionsQuery } from '../../api/queries/accounts/sessions'
import { every, paces } from '../../api/refresh'
import { formatUserAgent } from '../../../contract/accounts/user-agent'
import { FailureBox } from '../../system/failure/failure-box'
import { notify } from '../../system/failure/notify'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { Button } from '../../ui/button'
import { Status } from '../../ui/text/chip'
import { describeError } from '../../system/failure/describe-error'
import { Freshness } from '../../system/refresh/freshness'
import { Panel, PanelBody } from '../../ui/layout/panel'
import { RowSkeletons } from '../../ui/list/row-skeletons'
import * as Table from '../../ui/list/table'
import { DateTime, RelativeTime } from '../../ui/text/time'

const times = css({ w: '112' })
const dates = css({ w: '160', display: { base: 'none', lg: 'table-cell' } })
const action = css({ w: '96' })
const columns = 5

const hereFirst = (a: { current: boolean }, b: { current: boolean }) => Number(b.current) - Number(a.current)

const failed = (error: unknown) => void notify({ kind: 'error', text: describeError(error, 'The session could not be ended') })

/** Lists the user's sessions; each can be ended here. */
export const SessionsPanel = () => {
  const { api, auth } = useSystem()
  const query = useQuery({
    ...sessionsQuery(api),
    refetchOnMount: 'always',
    refetchInterval: every(paces.list),
  })
  const { data: sessions, error, refetch } = query
  const end = useMutation({ ...endSessionMutation(api), onError: failed })
  const endOthers = useMutation({ ...endOtherSessionsMutation(api), onError: failed })
  const others = sessions?.filter(({ current }) => !current).length ?? 0
  return (
    <Panel
      flush
      title="Sessions"
      aside={
        <>
          <Freshness query={query} />
          {others > 0 && (
            <Button size="small" busy={endOthers.isPending} busyLabel="Ending..." onClick={() => endOthers.mutate()}>
              End all others
            </Button>
          )}
        </>
      }
    >
      {sessions && <RefreshFailed query={query} />}
      {error && !sessions ? (
        <PanelBody>
          <FailureBox error={error} onRetry={() => void refetch()} />
        </PanelBody>
      ) : (
        <Table.Root caption="Sessions" scroll stack>
          <Table.Head>
            <Table.Th>Browser</Table.Th>
            <Table.Th className={times}>Address</Table.Th>
            <Table.Th className={dates}>Signed in</Table.Th>
            <Table.Th className={times}>Last used</Table.Th>
            <Table.Th className={action} aria-label="End" />
          </Table.Head>
          {sessions ? (
            <Table.Body>
              {sessions.toSorted(hereFirst).map((session) => (
                <Table.Row key={session.id}>
                  <Table.Cell at="lead">
                    <span title={session.user_agent ?? undefined}>{formatUserAgent(session.user_agent)}</span>
                  </Table.Cell>
                  <Table.Cell mono quiet at="sub">
                    {session.ip ?? '–'}
                  </Table.Cell>
                  <Table.Cell quiet className={dates}>
                    <DateTime value={session.created_at} />
                  </Table.Cell>
                  <Table.Cell at="end">
                    {session.current ? (
                      <Status shape="online">This browser</Status>
                    ) : (
                      <RelativeTime value={session.last_used_at} />
                    )}
                  </Table.Cell>
                  <Table.Cell align="end" at="subEnd">
                    {session.current ? (
                      <Button size="small" onClick={() => auth.send({ type: 'signOut.asked' })}>
                        Sign Out
                      </Button>
                    ) : (
                      <Button
                        size="small"
                        busy={end.isPending && end.variables === session.id}
                        busyLabel="Ending..."
                        onClick={() => end.mutate(session.id)}
                      >
                        End
                      </Button>
                    )}
                  </Table.Cell>
                </Table.Row>
              ))}
            </Table.Body>
          ) : (
            <RowSkeletons columns={columns} />
          )}
        </Table.Root>
      )}
    </Panel>
  )
}
