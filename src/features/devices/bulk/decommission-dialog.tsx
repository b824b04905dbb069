import { useState } from 'react'
import { formatCount } from '../../../lib/amounts'
import { pluralize } from '../../../lib/pluralize'
import { TextField } from '../../../ui/form/text-field'
import { BulkWindow } from './bulk-window'
import { type DialogProps, useBulkChange } from './use-bulk-change'

/** Decommissioning is final: it requires typing the number of devices. */
export const DecommissionDialog = (props: DialogProps) => {
  const change = useBulkChange('bulk_decommission', props)
  const [typed, setTyped] = useState('')
  const { count } = props.selected
  const devices = pluralize(count, 'device')
  return (
    <BulkWindow
      change={change}
      title={`Decommission ${devices}?`}
      text="All their calls are refused and their clients stop at the next one, also during an update. Their serial numbers cannot enroll again while the devices are listed. This can never be undone: cancelling it keeps only the devices that were not reached."
      verb={`Decommission ${devices}`}
      danger
      ready={typed.replace(/[^0-9]/g, '') === String(count)}
      onStart={() => void change.start('decommission')}
    >
      <TextField
        label={`Type ${formatCount(count)} to confirm`}
        mono
        inputMode="numeric"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </BulkWindow>
  )
}
