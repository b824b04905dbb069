import { type FormEvent, useState } from 'react'
import { css } from 'styled-system/css'
import type { AuditFilters as Filters } from '../../../contract/accounts/audit'
import type { AnswerOf } from '../../../contract/core/endpoint'
import type { projectAuditLog } from '../../../contract/accounts/audit'
import { textOf } from '../../lib/form-data'
import { Button } from '../../ui/button'
import { TextField } from '../../ui/form/text-field'
import { Icon } from '../../ui/icon/icon'
import * as Popover from '../../ui/overlay/popover'
import { Select } from '../../ui/form/select'
import { actorName, results } from './audit-display'
import { dayOf, daysAgo, endOf, startOf } from './day-range'

const box = css({ display: 'grid', gap: '12', w: '240' })
// The same color as the other empty selects.
const unchosen = css({ '&': { color: 'muted' } })
const quick = css({ display: 'flex', gap: '8', flexWrap: 'wrap' })
const ranges = [
  ['Today', 0],
  ['7 days', 6],
  ['30 days', 29],
] as const

type Change = { [K in keyof Filters]?: string | undefined }
type Props = {
  filters: Filters
  recent: AnswerOf<typeof projectAuditLog>['recent'] | undefined
  onChange: (change: Change) => void
}

const DateFilter = ({ filters, onChange }: Pick<Props, 'filters' | 'onChange'>) => {
  const [open, setOpen] = useState(false)
  const say = (from: string, to: string) => {
    onChange({ from: from === '' ? undefined : startOf(from), to: to === '' ? undefined : endOf(to) })
    setOpen(false)
  }
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    say(textOf(data, 'from'), textOf(data, 'to'))
  }
  return (
    <Popover.Root open={open} onOpenChange={(change) => setOpen(change.open)} positioning={{ placement: 'bottom-start' }}>
      <Popover.Trigger asChild>
        <Button size="small" className={unchosen}>
          Date
          <Icon name="down" size={14} />
        </Button>
      </Popover.Trigger>
      <Popover.Content aria-label="Date">
        <form className={box} onSubmit={apply}>
          <div className={quick}>
            {ranges.map(([label, days]) => (
              <Button key={label} size="small" onClick={() => say(daysAgo(new Date(), days), daysAgo(new Date(), 0))}>
                {label}
              </Button>
            ))}
          </div>
          <TextField label="From" name="from" type="date" defaultValue={dayOf(filters.from)} />
          <TextField label="To" name="to" type="date" defaultValue={dayOf(filters.to)} />
          <Button type="submit" variant="primary">
            Apply
          </Button>
        </form>
      </Popover.Content>
    </Popover.Root>
  )
}

/** The filters of the log; the selected ones are shown as chips next to them. */
export const AuditFilters = ({ filters, recent, onChange }: Props) => (
  <>
    {filters.from === undefined && filters.to === undefined && <DateFilter filters={filters} onChange={onChange} />}
    {filters.action === undefined && (
      <Select
        small
        label="Action"
        placeholder="Action"
        value=""
        items={(recent?.actions ?? []).map(({ action }) => ({ value: action, label: action }))}
        onValueChange={(action) => onChange({ action })}
      />
    )}
    {filters.actor_id === undefined && (
      <Select
        small
        label="Actor"
        placeholder="Actor"
        value=""
        items={(recent?.actors ?? []).map(({ id, kind, name }) => ({
          value: id,
          label: actorName({ id, kind, name, email: null }),
        }))}
        onValueChange={(actor) => onChange({ actor_id: actor })}
      />
    )}
    {filters.result === undefined && (
      <Select
        small
        label="Result"
        placeholder="Result"
        value=""
        items={results.map((one) => ({ value: one.value as string, label: one.label }))}
        onValueChange={(result) => onChange({ result })}
      />
    )}
  </>
)
