import { logLevels } from '../../../../contract/device/config-fields'
import type { LogAnchor, LogFilters } from '../../../api/queries/fleet/device-logs'

/** The parameters of the page of a log. */
export type LogSearch = { [K in 'q' | 'level' | 'unit' | 'boot' | 'from' | 'to' | 'at' | 'line']?: string | undefined }

const number = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

/** Invalid values are ignored; the others count. */
export const toLogFilters = ({ q, level, unit, boot, from, to }: LogSearch): LogFilters => {
  const [fromMs, toMs] = [number(from), number(to)]
  return {
    ...(q && { q }),
    ...(level !== undefined && (logLevels as readonly string[]).includes(level) && level !== 'debug' && { level_max: level }),
    ...(unit && { unit }),
    ...(boot && { boot_id: boot }),
    ...(fromMs !== undefined && { from: fromMs }),
    ...(toMs !== undefined && { to: toMs }),
  }
}

export const toLogAnchor = ({ line, at }: LogSearch): LogAnchor => {
  const [sequence, time] = [number(line), number(at)]
  return sequence !== undefined ? { line: sequence } : time !== undefined ? { at: time } : null
}
