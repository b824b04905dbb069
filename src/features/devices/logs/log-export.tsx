import { type LogExportFormat, readLogExport } from '../../../api/log-export'
import type { LogFilters } from '../../../api/queries/fleet/device-logs'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { saveFile } from '../../../lib/save-file'
import { notify } from '../../../system/failure/notify'
import { describeError } from '../../../system/failure/describe-error'
import { useLongWork } from '../../../system/long-work'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import * as Menu from '../../../ui/overlay/menu'
import { log } from './log.recipe'

type Props = { deviceId: string; name: string; filters: LogFilters }

/** Saves the lines of the filter as a file; shows how many have come, and can be cancelled. */
export const LogExport = ({ deviceId, name, filters }: Props) => {
  const { environment, session, refused } = useSystem()
  const work = useLongWork<{ lines: number; bytes: number }, void, LogExportFormat>({
    run: async ({ input: format, signal, onProgress }) => {
      const connection = { base: environment.api, token: session.token, onRefused: refused }
      const file = await readLogExport(connection, { deviceId, filters, format, onProgress, signal })
      saveFile(`${name}-system-logs.${format === 'text' ? 'log' : 'ndjson'}`, file, file.type)
    },
    onFailed: (error) => void notify({ kind: 'error', text: describeError(error, 'The export failed') }),
  })
  const { progress = { lines: 0, bytes: 0 }, stage, start, cancel } = work
  if (stage === 'busy')
    return (
      <span className={log.state} role="group" aria-label="Export">
        {formatCount(progress.lines)} lines, {formatBytes(progress.bytes)}
        <Button size="small" onClick={cancel}>
          Cancel export
        </Button>
      </span>
    )
  return (
    <Menu.Root onSelect={({ value }) => start(value === 'text' ? 'text' : 'ndjson')} positioning={{ placement: 'bottom-end' }}>
      <Menu.Trigger asChild>
        <Button size="small" icon={<Icon name="dl" size={14} />}>
          Export
        </Button>
      </Menu.Trigger>
      <Menu.Content>
        <Menu.Item value="ndjson">NDJSON, with all fields</Menu.Item>
        <Menu.Item value="text">Text, a line each</Menu.Item>
      </Menu.Content>
    </Menu.Root>
  )
}
