import { css } from 'styled-system/css'
import type { Device } from '../../../contract/devices'
import { lifecycleDisplay, readable, updateDisplay } from '../../lib/status-display'
import { Status } from '../../ui/chip'
import { Progress } from '../../ui/progress'

const row = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '12' })
const bar = css({ w: '96', flexShrink: '0', hideBelow: 'md' })
const figure = css({ hideFrom: 'md' })

/** State, colon, reason; a bar with its number during download and installation. */
export const UpdateCell = ({ device: { lifecycle, update, updates_enabled: enabled } }: { device: Device }) => {
  if (lifecycle !== 'active') {
    const { shape, word } = lifecycleDisplay(lifecycle)
    return <Status shape={shape}>{word}</Status>
  }
  if (!update) return enabled ? '–' : <Status shape="paused">Updates off</Status>
  const { shape, word } = updateDisplay(update.state)
  const said = update.error_code === null ? word : `${word}: ${readable(update.error_code).toLowerCase()}`
  const percent = shape === 'running' && update.progress_percent !== null ? Math.floor(update.progress_percent) : null
  return (
    <span className={row}>
      <Status shape={shape}>
        {said}
        {percent !== null && <span className={figure}> {percent} %</span>}
      </Status>
      {percent !== null && (
        <span className={bar}>
          <Progress label={`${word} progress`} value={percent / 100}>
            {percent} %
          </Progress>
        </span>
      )}
    </span>
  )
}
