import { useEffect } from 'react'
import { css } from 'styled-system/css'
import type { DeviceExportFormat } from '../../../../contract/fleet/device-exports'
import { downloadDevices } from '../../../api/device-export'
import { formatCount } from '../../../lib/amounts'
import { saveFile } from '../../../lib/save-file'
import { notify } from '../../../system/failure/notify'
import { useLongWork } from '../../../system/long-work'
import { useSystem } from '../../../system/system'
import { Button } from '../../../ui/button'
import { Progress } from '../../../ui/layout/progress'
import type { DevicesSearch } from './devices-search'

const box = css({ display: 'inline-flex', alignItems: 'center', gap: '8', textStyle: 'small', color: 'muted' })
const bar = css({ w: '96' })

type Props = {
  projectId: string
  filters: DevicesSearch
  format: DeviceExportFormat
  /** Number of devices that the filter had. */
  total: number | undefined
  onEnd: () => void
}

/** A running export: it ends with its file, by the button, or when the page is left. */
export const DeviceExport = ({ projectId, filters: { sort: _sort, ...filters }, format, total, onEnd }: Props) => {
  const { environment, session, refused } = useSystem()
  const { progress: rows = 0, start } = useLongWork<number>({
    run: async ({ signal, onProgress: onRows }) => {
      const connection = { base: environment.api, token: session.token, onRefused: refused }
      const file = await downloadDevices(connection, { projectId, filters, format, onRows, signal })
      saveFile(`devices.${format}`, file, file.type)
    },
    onDone: onEnd,
    onFailed: () => {
      void notify({ kind: 'error', text: 'The export failed', detail: 'No file was saved. Try again.' })
      onEnd()
    },
  })
  useEffect(() => start(), [start])
  return (
    <span className={box}>
      <span className={bar}>
        <Progress label="Export" {...(total !== undefined && total > 0 && { value: Math.min(1, rows / total) })}>
          {formatCount(rows)}
        </Progress>
      </span>
      <Button size="small" onClick={onEnd}>
        Cancel export
      </Button>
    </span>
  )
}
