import { Combobox as Ark, createListCollection } from '@ark-ui/react/combobox'
import { Portal } from '@ark-ui/react/portal'
import { useMemo, useState } from 'react'
import { combobox } from 'styled-system/recipes'
import { useField } from './use-field'
import { Icon } from '../icon/icon'
import { matching } from './matching'
import { NoOptions } from './no-options'
import type { Option } from './option'

type Props<V extends string> = {
  items: readonly Option<V>[]
  value: readonly V[]
  onValueChange: (value: V[]) => void
  placeholder?: string
  disabled?: boolean
  label?: string
}

/** Several of many: the selected ones are tokens inside, each with its own remove button. */
export const MultiSelect = <V extends string>({ items, value, onValueChange, placeholder, disabled, label }: Props<V>) => {
  const field = useField()
  const classes = combobox()
  const [typed, setTyped] = useState('')
  const shown = useMemo(() => matching(items, typed), [items, typed])
  const collection = useMemo(() => createListCollection({ items: shown, itemToString: (item) => item.label }), [shown])
  const chosen = items.filter((item) => value.includes(item.value))
  return (
    <Ark.Root
      collection={collection}
      // Ark finds its own input by this id.
      {...(field && { ids: { input: field.id } })}
      className={classes.root}
      multiple
      value={[...value]}
      inputValue={typed}
      inputBehavior={typed.trim() === '' ? 'none' : 'autohighlight'}
      onInputValueChange={(change) => setTyped(change.inputValue)}
      onValueChange={(change) =>
        onValueChange(items.filter((item) => change.value.includes(item.value)).map((item) => item.value))
      }
      disabled={disabled}
      invalid={field?.['aria-invalid']}
      placeholder={value.length === 0 ? placeholder : undefined}
      positioning={{ sameWidth: true, gutter: 4 }}
      selectionBehavior="clear"
      openOnClick
      lazyMount
      unmountOnExit
    >
      <Ark.Control className={classes.control}>
        {chosen.map((item) => (
          <span key={item.value} className={classes.token}>
            {item.label}
            <button
              type="button"
              aria-label={`Remove ${item.label}`}
              data-analytics-name="Remove choice"
              onClick={() => onValueChange(value.filter((v) => v !== item.value))}
            >
              <Icon name="x" size={12} />
            </button>
          </span>
        ))}
        <Ark.Input
          className={classes.input}
          onKeyDown={(event) => {
            if (event.key === 'Backspace' && typed === '' && value.length > 0) onValueChange(value.slice(0, -1))
          }}
          {...(field && {
            'aria-labelledby': field.labelId,
            'aria-describedby': field['aria-describedby'],
            'aria-required': field['aria-required'],
          })}
          {...(label !== undefined && { 'aria-label': label, 'aria-labelledby': undefined })}
        />
        <Ark.Trigger className={classes.trigger} aria-label="Show all" tabIndex={-1}>
          <Icon name="down" />
        </Ark.Trigger>
      </Ark.Control>
      <Portal>
        <Ark.Positioner>
          <Ark.Content className={classes.content}>
            {shown.length === 0 && <NoOptions className={classes.empty} />}
            {shown.map((item) => (
              <Ark.Item key={item.value} item={item} className={classes.item}>
                <Ark.ItemText>{item.label}</Ark.ItemText>
                <Ark.ItemIndicator className={classes.itemIndicator}>
                  <Icon name="check" />
                </Ark.ItemIndicator>
              </Ark.Item>
            ))}
          </Ark.Content>
        </Ark.Positioner>
      </Portal>
    </Ark.Root>
  )
}
