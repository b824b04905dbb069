import { useMutation, useQuery } from '@tanstack/react-query'
import { css } from 'styled-system/css'
import type { NotificationLevel, NotificationSetting } from '../../../contract/accounts/notifications'
import { changeNotificationSettingMutation } from '../../api/mutations/accounts/notifications'
import { notificationSettingsQuery } from '../../api/queries/accounts/notifications'
import { every, paces } from '../../api/refresh'
import { FailureBox } from '../../system/failure/failure-box'
import type { LoaderArgs } from '../../system/scope/guard'
import { RefreshFailed } from '../../system/refresh/refresh-failed'
import { useSystem } from '../../system/system'
import { notifyFailed } from '../../system/failure/notify-failed'
import { Freshness } from '../../system/refresh/freshness'
import { Page, PageHead } from '../../ui/layout/page'
import { Panel, PanelBody, PanelRow, PanelStack } from '../../ui/layout/panel'
import { RowSkeletons } from '../../ui/list/row-skeletons'
import { Segment, type SegmentItem } from '../../ui/form/segment'
import * as Table from '../../ui/list/table'

export const load = ({ context: { api, queryClient } }: LoaderArgs) =>
  void queryClient.prefetchQuery(notificationSettingsQuery(api))

const levels: readonly SegmentItem<NotificationLevel>[] = [
  { value: 'all', label: 'All' },
  { value: 'needs_me', label: 'What needs me' },
  { value: 'nothing', label: 'Nothing' },
]
const choice = css({ w: '240' })
const columns = 3

const Setting = ({ setting: { project, organization, level } }: { setting: NotificationSetting }) => {
  const { api } = useSystem()
  const { mutate, isPending, variables } = useMutation({
    ...changeNotificationSettingMutation(api),
    onError: notifyFailed,
  })
  return (
    <Table.Row>
      <Table.Cell at="lead">{project.name}</Table.Cell>
      <Table.Cell quiet at="sub">
        {organization?.name ?? 'No organization'}
      </Table.Cell>
      <Table.Cell at="end">
        <Segment
          small
          label={`Notifications about ${project.name}`}
          items={levels.map((one) => ({ ...one, disabled: isPending }))}
          // Shown until the answer: without it the old value would come back first.
          value={isPending ? variables.level : level}
          onValueChange={(chosen) => mutate({ projectId: project.id, level: chosen })}
        />
      </Table.Cell>
    </Table.Row>
  )
}

/** What the person is told about each of their projects, in the console and by mail. */
export default function NotificationsPage() {
  const { api } = useSystem()
  const query = useQuery({ ...notificationSettingsQuery(api), refetchInterval: every(paces.list) })
  const { data: settings, error, refetch } = query
  return (
    <Page>
      <PageHead title="Notifications" />
      <PanelStack>
        <Panel title="What you are told">
          <p>
            You find notifications under the bell in the header and get them by mail: wanted approvals, rollouts that were halted
            or wait, revoked releases, keys and access tokens that expire, and devices that go offline in number. “What needs me”
            leaves out what you have no permission to act on. Invites and sign-ins from new browsers are always sent.
          </p>
        </Panel>
        <Panel flush title="Projects" aside={<Freshness query={query} />}>
          {settings && <RefreshFailed query={query} />}
          {error && !settings ? (
            <PanelBody>
              <FailureBox error={error} onRetry={() => void refetch()} />
            </PanelBody>
          ) : settings?.length === 0 ? (
            <PanelRow>You are in no project.</PanelRow>
          ) : (
            <Table.Root caption="Notifications by project" scroll stack>
              <Table.Head>
                <Table.Th>Project</Table.Th>
                <Table.Th>Organization</Table.Th>
                <Table.Th className={choice}>Notifications</Table.Th>
              </Table.Head>
              {settings ? (
                <Table.Body>
                  {settings.map((setting) => (
                    <Setting key={setting.project.id} setting={setting} />
                  ))}
                </Table.Body>
              ) : (
                <RowSkeletons columns={columns} />
              )}
            </Table.Root>
          )}
        </Panel>
      </PanelStack>
    </Page>
  )
}
