import { ToolRow } from '../../../ui/layout/page'
import { Select } from '../../../ui/form/select'
import { type EventsSearch, periodItems, typeItems } from './event-filters'

type Props = { search: EventsSearch; onChange: (search: EventsSearch) => void }

const chosen = (value: string) => (value === 'all' ? undefined : value)

/** The filters of update events, both kept in the address. */
export const EventTools = ({ search, onChange }: Props) => (
  <ToolRow>
    <Select
      small
      label="Type"
      value={search.type ?? 'all'}
      items={typeItems}
      onValueChange={(value) => onChange({ type: chosen(value) })}
    />
    <Select
      small
      label="Period"
      value={search.period ?? 'all'}
      items={periodItems}
      onValueChange={(value) => onChange({ period: chosen(value) })}
    />
  </ToolRow>
)
