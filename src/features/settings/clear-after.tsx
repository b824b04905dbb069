import { formatDuration } from '../../lib/durations'
import { SelectField } from '../../ui/form/select-field'

const waits = [0, 60, 300, 900, 3600]
const words = (seconds: number) => (seconds === 0 ? 'At once' : formatDuration(seconds))
/** A delay that was set elsewhere is added to the list. */
const waitsWith = (own: number) =>
  [...new Set([...waits, own])].toSorted((a, b) => a - b).map((wait) => ({ value: String(wait), label: words(wait) }))

type Props = { name: string; error: string | undefined; start: number; onWait: (seconds: number) => void }

/** How long a value must have been below its level before the level falls. */
export const ClearAfter = ({ start, onWait, ...field }: Props) => (
  <SelectField
    {...field}
    label="Clear after"
    items={waitsWith(start)}
    defaultValue={String(start)}
    onValueChange={(wait) => onWait(Number(wait))}
  />
)
