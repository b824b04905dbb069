import { css } from 'styled-system/css'
import type { Device } from '../../../../contract/fleet/devices'
import { lifecycleDisplay, readable, type StatusDisplay, updateDisplay } from '../../../lib/status-display'
import { Status } from '../../../ui/text/chip'
import { Progress } from '../../../ui/layout/progress'
import { isDrawn, Shape, type ShapeName } from '../../../ui/layout/shape'

const row = css({ display: 'flex', alignItems: 'center', justifyContent: 'space-between', gap: '12' })
const bar = css({ w: '96', flexShrink: '0', hideBelow: 'md' })
const figure = css({ hideFrom: 'md' })

/** State, colon, reason. Null without an update that would be shown. */
const displayOf = ({ lifecycle, update, updates_enabled: enabled }: Device): StatusDisplay | null => {
  if (lifecycle !== 'active') return lifecycleDisplay(lifecycle)
  if (!update) return enabled ? null : { shape: 'paused', word: 'Updates off' }
  const { shape, word } = updateDisplay(update.state)
  return { shape, word: update.error_code === null ? word : `${word}: ${readable(update.error_code).toLowerCase()}` }
}

const percentOf = ({ lifecycle, update }: Device, shape: StatusDisplay['shape']) =>
  lifecycle === 'active' && update && shape === 'running' && update.progress_percent !== null
    ? Math.floor(update.progress_percent)
    : null

/** The same in words. */
export const describeUpdate = (device: Device): string => {
  const display = displayOf(device)
  if (!display) return 'no update'
  const percent = percentOf(device, display.shape)
  return percent === null ? display.word : `${display.word} ${percent} %`
}

/** The shape that the cell draws; a bar's text has one of its own. */
export const updateShape = (device: Device): ShapeName | undefined => {
  const display = displayOf(device)
  return display && percentOf(device, display.shape) === null ? display.shape : undefined
}

/** The state of the update, with a bar and its number during download and installation. */
export const UpdateCell = ({ device }: { device: Device }) => {
  const display = displayOf(device)
  if (!display) return '–'
  const { shape, word } = display
  const percent = percentOf(device, shape)
  if (percent === null)
    return (
      <>
        {!isDrawn(shape) && <Shape name={shape} />}
        {word}
      </>
    )
  return (
    <span className={row}>
      <Status shape={shape}>
        {word}
        <span className={figure}> {percent} %</span>
      </Status>
      <span className={bar}>
        <Progress label={`${word} progress`} value={percent / 100}>
          {percent} %
        </Progress>
      </span>
    </span>
  )
}
