import { useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { css } from 'styled-system/css'
import type { ListedCommand } from '../../../../contract/fleet/device-commands'
import type { Device } from '../../../../contract/fleet/devices'
import { commandsQuery, deviceQuery } from '../../../api/queries/fleet/devices'
import { paces } from '../../../api/refresh'
import { lifecycleDisplay } from '../../../lib/status-display'
import { FailureBox } from '../../../system/failure/failure-box'
import { useRefusal } from '../../../system/scope/grants'
import { useList } from '../../../system/list/list'
import { useSendCommand } from '../../../system/send-command'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Freshness } from '../../../system/refresh/freshness'
import { Icon } from '../../../ui/icon/icon'
import { Banner, EmptyState } from '../../../ui/layout/notice'
import { ToolRow } from '../../../ui/layout/page'
import { Panel, PanelSkeletons } from '../../../ui/layout/panel'
import { CommandEntry } from './command-entry'

const route = getRouteApi('/organizations/$organizationId/projects/$projectId/devices/list/$deviceId/commands')
const list = css({ listStyle: 'none' })
const older = css({ mt: '16' })

/** Commands with an output; the others have buttons in the head of the page. */
const SendButtons = ({ device: { id: deviceId, lifecycle } }: { device: Device }) => {
  const refused = useRefusal('device:remote_command')
  const { send, isPending } = useSendCommand()
  const may = { refused, disabled: isPending || lifecycle !== 'active' }
  return (
    <>
      <Button size="small" icon={<Icon name="log" size={14} />} {...may} onClick={() => void send(deviceId, 'send_logs')}>
        Send logs
      </Button>
      <Button
        size="small"
        icon={<Icon name="doc" size={14} />}
        {...may}
        onClick={() => void send(deviceId, 'collect_diagnostics')}
      >
        Collect diagnostics
      </Button>
    </>
  )
}

/** The stream of events does not announce what devices do. */
const paceOf = (commands: readonly ListedCommand[]) =>
  commands.some(({ state }) => state === 'queued' || state === 'delivered') ? paces.event : paces.list

const CommandList = ({ device }: { device: Device }) => {
  const { api } = useSystem()
  const query = commandsQuery(api, device.id)
  const known =
    useQueryClient()
      .getQueryData(query.queryKey)
      ?.pages.flatMap((page) => page.commands) ?? []
  const commands = useList(query, { rows: (page) => page.commands, pace: paceOf(known) })
  if (commands.error && commands.rows.length === 0) return <FailureBox error={commands.error} onRetry={commands.retry} />
  return (
    <>
      <ToolRow>
        <SendButtons device={device} />
        <Freshness query={commands.query} />
      </ToolRow>
      {device.lifecycle !== 'active' && (
        <Banner kind="neutral">
          {lifecycleDisplay(device.lifecycle).word}: only an active device gets commands. Queued ones expire after a day.
        </Banner>
      )}
      {commands.isEmpty ? (
        <EmptyState title="Not Found">
          A command waits for the next check-in of the device. Its result is kept here for 90 days.
        </EmptyState>
      ) : (
        <Panel flush title="Commands">
          {commands.isPending ? (
            <PanelSkeletons rows={4} />
          ) : (
            <ol className={list} aria-label="Commands">
              {commands.rows.map((command) => (
                <CommandEntry key={command.id} deviceId={device.id} command={command} />
              ))}
            </ol>
          )}
        </Panel>
      )}
      {commands.hasMore && (
        <Button className={older} busy={commands.isLoadingMore} busyLabel="Loading..." onClick={commands.loadMore}>
          Show older
        </Button>
      )}
    </>
  )
}

/** The commands that people have sent to a device, newest first, with their results. */
export default function CommandsPage() {
  const { api } = useSystem()
  const { deviceId } = route.useParams()
  const { data: device } = useSuspenseQuery(deviceQuery(api, deviceId))
  if (device.protocol === 'ddi') return <EmptyState title="Not Found">A hawkBit client takes no commands.</EmptyState>
  return <CommandList device={device} />
}
