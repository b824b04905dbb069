import { useEffect, useRef, useState } from 'react'
import { type LogExportFormat, readLogExport } from '../../../api/log-export'
import type { LogFilters } from '../../../api/queries/fleet/device-logs'
import { formatCount } from '../../../lib/amounts'
import { formatBytes } from '../../../lib/bytes'
import { saveFile } from '../../../lib/save-file'
import { notify } from '../../../system/failure/notify'
import { describeError } from '../../../system/failure/describe-error'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Icon } from '../../../ui/icon/icon'
import * as Menu from '../../../ui/overlay/menu'
import { log } from './log.recipe'

type Progress = { lines: number; bytes: number }
type Props = { deviceId: string; name: string; filters: LogFilters }

/** Saves the lines of the filter as a file; shows how many have come, and can be cancelled. */
export const LogExport = ({ deviceId, name, filters }: Props) => {
  const { environment, session, refused } = useSystem()
  const [progress, setProgress] = useState<Progress | null>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const save = async (format: LogExportFormat) => {
    const stop = new AbortController()
    running.current = stop
    setProgress({ lines: 0, bytes: 0 })
    try {
      const connection = { base: environment.api, token: session.token, onRefused: refused }
      const asked = { deviceId, filters, format, onProgress: setProgress, signal: stop.signal }
      const file = await readLogExport(connection, asked)
      saveFile(`${name}-system-logs.${format === 'text' ? 'log' : 'ndjson'}`, file, file.type)
    } catch (error) {
      if (!stop.signal.aborted) void notify({ kind: 'error', text: describeError(error, 'The export failed') })
    } finally {
      setProgress(null)
    }
  }
  if (progress)
    return (
      <span className={log.state} role="group" aria-label="Export">
        {formatCount(progress.lines)} lines, {formatBytes(progress.bytes)}
        <Button size="small" onClick={() => running.current?.abort()}>
          Cancel export
        </Button>
      </span>
    )
  return (
    <Menu.Root
      onSelect={({ value }) => void save(value === 'text' ? 'text' : 'ndjson')}
      positioning={{ placement: 'bottom-end' }}
    >
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
