import { css } from 'styled-system/css'
import { Checkbox } from '../../../ui/form/choice'
import * as Table from '../../../ui/list/table'
import type { DeviceSelection } from './use-selection'

// The sticky header with the head of the table, and the bar at the bottom.
const clearOfBars = css({ scrollMarginBlock: '112' })
const width = css({ w: '40' })
const unseen = css({ srOnly: true })

/** The box of the head: mixed while only some of the rows are selected. */
export const SelectHead = ({ selection: { share, togglePage } }: { selection: DeviceSelection }) => (
  <Table.Th className={width}>
    <span className={unseen}>Selection</span>
    <Checkbox
      aria-label="Select the devices shown"
      data-analytics-name="Select page"
      checked={share === 'all'}
      mixed={share === 'some'}
      onChange={togglePage}
    />
  </Table.Th>
)

type Props = { index: number; name: string; selected: boolean; onSelect: (index: number, range: boolean) => void }

/** The box of a row; with Shift it selects a range. */
export const SelectCell = ({ index, name, selected, onSelect }: Props) => (
  // Shift would select the text between two presses.
  <Table.Cell menu at="check" className={clearOfBars} onMouseDown={(event) => event.shiftKey && event.preventDefault()}>
    <Checkbox
      aria-label={`Select ${name}`}
      data-analytics-name="Select device"
      checked={selected}
      onChange={({ nativeEvent }) => onSelect(index, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)}
    />
  </Table.Cell>
)
