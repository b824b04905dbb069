import { type FormEvent, useState } from 'react'
import { parseLogUnits } from '../../../../contract/fleet/log-units'
import type { LogWindow } from '../../../api/queries/fleet/device-logs'
import { formatDate } from '../../../lib/dates'
import { pluralize } from '../../../lib/pluralize'
import { Button } from '../../../ui/button'
import { Checkbox } from '../../../ui/form/choice'
import { TextField } from '../../../ui/form/text-field'
import { Icon } from '../../../ui/icon/icon'
import * as Popover from '../../../ui/overlay/popover'
import { Segment } from '../../../ui/form/segment'
import { Select } from '../../../ui/form/select'
import { Shape } from '../../../ui/layout/shape'
import { log } from './log.recipe'
import type { LogSearch } from './logs-search'

const levels = [
  { value: 'debug', label: 'Debug +' },
  { value: 'notice', label: 'Notice +' },
  {
    value: 'warning',
    label: (
      <>
        <Shape name="warning" /> Warning +
      </>
    ),
  },
  {
    value: 'err',
    label: (
      <>
        <Shape name="error" /> Error +
      </>
    ),
  },
] as const
type Level = (typeof levels)[number]['value']

type Props = {
  search: LogSearch
  about: LogWindow['about'] | undefined
  onChange: (change: LogSearch) => void
}

const Units = ({ search, about, onChange }: Props) => {
  const known = about?.units ?? []
  // A press shows at once, and the next one adds to it: the address follows later.
  const [pressed, setPressed] = useState<string[]>()
  const [address, setAddress] = useState(search.unit)
  if (address !== search.unit) {
    setAddress(search.unit)
    setPressed(undefined)
  }
  const chosen = pressed ?? (search.unit === undefined ? [] : parseLogUnits(search.unit, known))
  const choose = (unit: string, isChosen: boolean) => {
    const next = isChosen ? [...chosen, unit] : chosen.filter((one) => one !== unit)
    setPressed(next)
    onChange({ unit: next.length === 0 ? undefined : next.join(',') })
  }
  return (
    <Popover.Root positioning={{ placement: 'bottom-start' }}>
      <Popover.Trigger asChild>
        <Button size="small">
          {chosen.length === 0 ? 'All units' : chosen.length === 1 ? chosen[0] : pluralize(chosen.length, 'unit')}
          <Icon name="down" size={14} />
        </Button>
      </Popover.Trigger>
      <Popover.Content aria-label="Units">
        <div className={log.menu}>
          {[...new Set([...known, ...chosen])].map((unit) => (
            <Checkbox key={unit} checked={chosen.includes(unit)} onChange={(event) => choose(unit, event.target.checked)}>
              {unit}
            </Checkbox>
          ))}
          {chosen.length > 0 && (
            <Button size="small" onClick={() => onChange({ unit: undefined })}>
              All units
            </Button>
          )}
        </div>
      </Popover.Content>
    </Popover.Root>
  )
}

const toMs = (data: FormData, name: string): string | undefined => {
  const value = data.get(name)
  const ms = typeof value === 'string' ? new Date(value).getTime() : Number.NaN
  return Number.isNaN(ms) ? undefined : String(ms)
}
const two = (value: number) => String(value).padStart(2, '0')
/** In the format of a datetime-local control with seconds, in the reader's zone. */
const toControl = (ms: string | undefined) => {
  const date = new Date(ms === undefined ? Number.NaN : Number(ms))
  if (Number.isNaN(date.getTime())) return ''
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

const JumpToTime = ({ search, onChange }: Pick<Props, 'search' | 'onChange'>) => {
  const [open, setOpen] = useState(false)
  const jump = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const data = new FormData(event.currentTarget)
    onChange({ at: toMs(data, 'at'), from: toMs(data, 'from'), to: toMs(data, 'to'), line: undefined })
    setOpen(false)
  }
  const time = { type: 'datetime-local', step: 1 } as const
  return (
    <Popover.Root open={open} onOpenChange={(change) => setOpen(change.open)} positioning={{ placement: 'bottom-start' }}>
      <Popover.Trigger asChild>
        <Button size="small" icon={<Icon name="clock" size={14} />}>
          Jump to time
        </Button>
      </Popover.Trigger>
      <Popover.Content aria-label="Jump to time">
        <form className={log.menu} onSubmit={jump}>
          <TextField label="Time" name="at" {...time} defaultValue={toControl(search.at)} hint="In your own time zone." />
          <TextField label="Only lines from" name="from" {...time} defaultValue={toControl(search.from)} />
          <TextField label="Only lines before" name="to" {...time} defaultValue={toControl(search.to)} />
          <Button type="submit" variant="primary">
            Jump
          </Button>
        </form>
      </Popover.Content>
    </Popover.Root>
  )
}

/** The filters of a log, all kept in the URL. */
export const LogTools = ({ search, about, onChange }: Props) => {
  const level = levels.find(({ value }) => value === search.level)?.value ?? 'debug'
  const boots = about?.boots ?? []
  return (
    <>
      <Segment<Level>
        small
        label="Minimum level"
        items={levels}
        value={level}
        onValueChange={(value) => onChange({ level: value === 'debug' ? undefined : value })}
      />
      <Units search={search} about={about} onChange={onChange} />
      <Select
        small
        label="Boot"
        value={search.boot ?? 'all'}
        items={[
          { value: 'all', label: 'All boots' },
          ...boots.map(({ boot_id, first_ts_ms }) => ({
            value: boot_id,
            label: `Boot ${boot_id.slice(0, 4)}, ${formatDate(new Date(first_ts_ms))}`,
          })),
          ...(search.boot === undefined || boots.some(({ boot_id }) => boot_id === search.boot)
            ? []
            : [{ value: search.boot, label: `Boot ${search.boot.slice(0, 4)}` }]),
        ]}
        onValueChange={(value) => {
          const boot = boots.find(({ boot_id }) => boot_id === value)
          // Opened where the boot begins: an old one is far behind the newest lines.
          onChange({ boot: boot?.boot_id, line: undefined, at: boot && String(boot.first_ts_ms) })
        }}
      />
      <JumpToTime search={search} onChange={onChange} />
    </>
  )
}
