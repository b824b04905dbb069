import { cx } from 'styled-system/css'
import type { LogLine } from '../../../contract/device-logs'
import { formatClock, formatExact } from '../../lib/dates'
import { Skeleton } from '../../ui/skeleton'
import { VirtualRows } from '../../ui/virtual-rows'
import { log } from './log.recipe'

const short: Readonly<Record<string, string>> = {
  emerg: 'EMG',
  alert: 'ALR',
  crit: 'CRT',
  err: 'ERR',
  warning: 'WRN',
  notice: 'NTC',
  info: 'INF',
  debug: 'DBG',
}

const Line = ({ line }: { line: LogLine }) => {
  const date = new Date(line.ts_ms)
  return (
    <tr className={log.row} data-boot={line.unit === 'boot' || undefined}>
      <td className={log.time}>
        <time dateTime={date.toISOString()} title={formatExact(date)}>
          {formatClock(date)}
        </time>
      </td>
      <td className={log.level} data-level={line.level}>
        {short[line.level] ?? line.level}
      </td>
      <td className={log.unit} title={line.unit ?? undefined}>
        {line.unit}
      </td>
      <td className={log.message} title={line.message}>
        {line.message}
      </td>
    </tr>
  )
}

const widths = ['long', 'half', 'full', 'half', 'long'] as const

const Waiting = () => (
  <div aria-busy>
    {Array.from({ length: 24 }, (_, row) => (
      <div key={row} className={cx(log.row, log.waiting)}>
        <Skeleton width="short" />
        <Skeleton />
        <span className={log.unit}>
          <Skeleton width="long" />
        </span>
        <Skeleton width={widths[row % widths.length] ?? 'half'} />
      </div>
    ))}
  </div>
)

export const LogLines = ({ lines, pending, onEnd }: { lines: readonly LogLine[]; pending: boolean; onEnd: () => void }) => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- long lines are scrolled by keyboard too
  <div className={log.ground} tabIndex={0} role="region" aria-label="Log">
    {pending ? (
      <Waiting />
    ) : (
      <table className={log.table} aria-label="Log lines">
        <VirtualRows count={lines.length} columns={4} rowHeight={20} onEnd={onEnd}>
          {(index) => {
            const line = lines[index]
            return line && <Line key={line.sequence} line={line} />
          }}
        </VirtualRows>
      </table>
    )}
  </div>
)
