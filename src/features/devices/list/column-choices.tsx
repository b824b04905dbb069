import { css } from 'styled-system/css'
import { type DeviceColumn, deviceColumns } from '../../../../contract/fleet/saved-views'
import { Checkbox, Switch } from '../../../ui/form/choice'
import { GroupField } from '../../../ui/form/choice-field'
import { IconButton } from '../../../ui/icon/icon-button'
import * as Popover from '../../../ui/overlay/popover'
import { columns } from './device-columns'
import type { ListLayout } from './list-layout'

const box = css({ display: 'grid', gap: '16', w: '200' })

type Props = { layout: ListLayout; onLayout: (layout: ListLayout) => void }

/** Loaded when the button is first pressed, and then opened at once. */
export const ColumnChoices = ({ layout, onLayout }: Props) => {
  const widths = new Map(layout.columns.map(({ name, width }) => [name, width]))
  const toggle = (name: DeviceColumn, isShown: boolean) => {
    const wanted = deviceColumns.filter((one) => (one === name ? isShown : widths.has(one)))
    onLayout({ ...layout, columns: wanted.map((one) => ({ name: one, width: widths.get(one) ?? null })) })
  }
  return (
    <Popover.Root defaultOpen positioning={{ placement: 'bottom-end' }}>
      <Popover.Trigger asChild>
        <IconButton icon="columns" label="Columns" size="small" hint={false} aria-haspopup="dialog" />
      </Popover.Trigger>
      <Popover.Content aria-label="Columns">
        <div className={box}>
          <GroupField label="Columns">
            {deviceColumns.map((name) => (
              <Checkbox key={name} checked={widths.has(name)} onChange={(event) => toggle(name, event.target.checked)}>
                {columns[name].label}
              </Checkbox>
            ))}
          </GroupField>
          <Switch checked={layout.dense} onChange={(event) => onLayout({ ...layout, dense: event.target.checked })}>
            Dense rows
          </Switch>
        </div>
      </Popover.Content>
    </Popover.Root>
  )
}
