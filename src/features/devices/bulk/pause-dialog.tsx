import { useState } from 'react'
import { fromLocal, toLocal } from '../../../lib/local-time'
import { pluralize } from '../../../lib/pluralize'
import { SegmentField } from '../../../ui/form/choice-field'
import { TextField } from '../../../ui/form/text-field'
import { hoursAhead, pauseSpans, type PauseSpan } from '../actions/pause-spans'
import { BulkWindow } from './bulk-window'
import { type DialogProps, useBulkChange } from './use-bulk-change'

export const PauseDialog = (props: DialogProps) => {
  const change = useBulkChange('bulk_pause', props)
  const [span, setSpan] = useState<PauseSpan>('24')
  const [typed, setTyped] = useState(() => toLocal(hoursAhead(24)))
  const devices = pluralize(props.selected.count, 'device')
  const until = () => (span === 'other' ? fromLocal(typed) : hoursAhead(Number(span)))
  return (
    <BulkWindow
      change={change}
      title={`Pause updates of ${devices}`}
      text="Until then they check in and report, but are offered no new update. An update that is running continues. It can be undone."
      verb={`Pause ${devices}`}
      ready={span !== 'other' || typed !== ''}
      onStart={() => void change.start('pause_until', { until: until() }, span === 'other' ? typed : span)}
    >
      <SegmentField name="span" label="Pause for" items={pauseSpans} value={span} onValueChange={setSpan} />
      {span === 'other' && (
        <TextField
          label="Until"
          required
          type="datetime-local"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          hint="In your own time zone."
        />
      )}
    </BulkWindow>
  )
}
