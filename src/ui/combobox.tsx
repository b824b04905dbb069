import { Combobox as Ark, createListCollection } from '@ark-ui/react/combobox'
import { Portal } from '@ark-ui/react/portal'
import { useMemo, useState } from 'react'
import { combobox } from 'styled-system/recipes'
import { useField } from './form/use-field'
import { Icon } from './icon'
import { matching } from './matching'
import { None } from './none'
import type { Option } from './option'

type Props<V extends string> = {
  items: readonly Option<V>[]
  value?: V | '' | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V | '') => void
  /** What was typed when the box is left, for those who can make a value of it. */
  onLeave?: (typed: string) => void
  name?: string
  placeholder?: string
  disabled?: boolean
  label?: string
}

/** One of many, found by typing; 'Not Found' when nothing matches. */
export const Combobox = <V extends string>({
  items,
  value,
  defaultValue,
  onValueChange,
  onLeave,
  name,
  placeholder,
  disabled,
  label,
}: Props<V>) => {
  const field = useField()
  const classes = combobox()
  const [typed, setTyped] = useState('')
  const shown = useMemo(() => matching(items, typed), [items, typed])
  const collection = useMemo(
    () =>
      createListCollection({
        items: shown,
        itemToString: (item) => item.label,
        isItemDisabled: (item) => item.disabled ?? false,
      }),
    [shown],
  )
  return (
    <Ark.Root
      collection={collection}
      className={classes.root}
      {...(value !== undefined && { value: value === '' ? [] : [value] })}
      {...(defaultValue !== undefined && { defaultValue: [defaultValue] })}
      onInputValueChange={(change) => setTyped(change.reason === 'input-change' ? change.inputValue : '')}
      onValueChange={(change) => onValueChange?.(items.find((item) => item.value === change.value[0])?.value ?? '')}
      {...(name !== undefined && { name })}
      disabled={disabled}
      invalid={field?.['aria-invalid']}
      placeholder={placeholder}
      positioning={{ sameWidth: true, gutter: 4 }}
      openOnClick
      lazyMount
      unmountOnExit
    >
      <Ark.Control className={classes.control}>
        <Ark.Input
          className={classes.input}
          onBlur={(event) => onLeave?.(event.currentTarget.value)}
          {...(field && {
            id: field.id,
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
            {shown.length === 0 && <None className={classes.empty} />}
            {shown.map((item) => (
              <Ark.Item key={item.value} item={item} className={classes.item}>
                {item.icon}
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
