import { css } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import type { AuditEntry } from '../../../contract/accounts/audit'
import { formatClock, formatDate, formatExact } from '../../lib/dates'
import { Status } from '../../ui/text/chip'
import { Icon } from '../../ui/icon/icon'
import * as Table from '../../ui/list/table'
import { actorIcon, actorName, isMachine, resultDisplay } from './audit-display'

export const roomyOnly = css({ hideBelow: 'lg' })
// Shown where the column of results is hidden.
const tightOnly = css({ hideFrom: 'lg', ml: '8' })
// Next to an open entry the day is hidden if space is short: the entry shows it.
const day = css({ color: 'muted', mr: '8', '[data-beside] &': { lgTo2xl: { display: 'none' } } })
const actor = css({
  display: 'flex',
  alignItems: 'center',
  gap: '8',
  minW: '0',
  '& > span, & > code': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '& svg': { color: 'muted' },
})

export const Actor = ({ entry }: { entry: AuditEntry }) => (
  <span className={actor} title={entry.actor.email ?? undefined}>
    <Icon name={actorIcon(entry.actor.kind)} size={14} />
    {isMachine(entry.actor) ? (
      <code className={css({ textStyle: 'mono' })}>{actorName(entry.actor)}</code>
    ) : (
      <span>{actorName(entry.actor)}</span>
    )}
  </span>
)

type Props = { entry: AuditEntry; selected: boolean; onOpen: () => void }

export const AuditRow = ({ entry, selected, onOpen }: Props) => {
  const moment = new Date(entry.occurred_at_ms)
  const look = resultDisplay[entry.result]
  return (
    <Table.Row selected={selected} onOpen={onOpen}>
      <Table.Cell mono quiet className={roomyOnly}>
        {entry.sequence}
      </Table.Cell>
      <Table.Cell mono at="end">
        <time dateTime={moment.toISOString()} title={formatExact(moment)}>
          <span className={day}>{formatDate(moment).slice(0, 10)}</span>
          {formatClock(moment)}
        </time>
      </Table.Cell>
      <Table.Cell at="sub">
        <Actor entry={entry} />
      </Table.Cell>
      <Table.Cell at="lead">
        <button type="button" className={link()} data-ink onClick={onOpen}>
          <code className={css({ textStyle: 'mono' })} title={entry.action}>
            {entry.action}
          </code>
        </button>
        {look && (
          <span className={tightOnly}>
            <Status shape={look.shape}>{look.word}</Status>
          </span>
        )}
      </Table.Cell>
      <Table.Cell at="subEnd" title={entry.target.name ?? undefined}>
        {entry.target.name ?? '–'}
      </Table.Cell>
      <Table.Cell quiet className={roomyOnly}>
        {look ? <Status shape={look.shape}>{look.word}</Status> : entry.result}
      </Table.Cell>
    </Table.Row>
  )
}
