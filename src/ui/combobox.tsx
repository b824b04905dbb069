import { Combobox as Ark, createListCollection } from '@ark-ui/react/combobox'
import { Portal } from '@ark-ui/react/portal'
import { useMemo, useState } from 'react'
import { combobox } from 'styled-system/recipes'
import { useField } from './form/use-field'
import { Icon } from './icon'
import { matching, plain } from './matching'
import { NoOptions } from './no-options'
import type { Option } from './option'

type Props<V extends string> = {
  items: readonly Option<V>[]
  value?: V | '' | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V | '') => void
  /** What was typed when the box is left, for those who can make a value of it. */
  onLeave?: (typed: string) => void
  /** The text for which Enter, or leaving the box, found no option; undefined once something else is typed or chosen. */
  onUnmatched?: (typed: string | undefined) => void
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
  onUnmatched,
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
  /** Takes the option of that name when the box is left; without one, what was typed goes, and that is said. */
  const settle = (select: (option: V) => void) => {
    const wanted = plain(typed.trim())
    const named = items.find(({ label: name, disabled: off }) => !off && plain(name) === wanted)
    if (named) select(named.value)
    else if (wanted !== '') onUnmatched?.(typed.trim())
  }
  return (
    <Ark.Root
      collection={collection}
      // Under this name the part finds its own input.
      {...(field && { ids: { input: field.id } })}
      className={classes.root}
      {...(value !== undefined && { value: value === '' ? [] : [value] })}
      {...(defaultValue !== undefined && { defaultValue: [defaultValue] })}
      // What Enter takes is lit: the first option that fits what was typed.
      inputBehavior={typed.trim() === '' ? 'none' : 'autohighlight'}
      onInputValueChange={(change) => {
        if (change.reason === 'input-change') onUnmatched?.(undefined)
        setTyped(change.reason === 'input-change' ? change.inputValue : '')
      }}
      onValueChange={(change) => {
        onUnmatched?.(undefined)
        onValueChange?.(items.find((item) => item.value === change.value[0])?.value ?? '')
      }}
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
        <Ark.Context>
          {(box) => (
            <Ark.Input
              className={classes.input}
              onKeyDownCapture={(event) => {
                const text = event.currentTarget.value
                if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '' || text.trim() === '') return
                const fitting = matching(items, text)
                const [first] = fitting
                if (!first) return onUnmatched?.(text.trim())
                // What is lit may be of the list before the last letter.
                if (fitting.some(({ value: lit }) => lit === box.highlightedValue)) return
                event.preventDefault()
                box.setValue([first.value])
                box.setOpen(false)
              }}
              onBlur={(event) => (onLeave ? onLeave(event.currentTarget.value) : settle((option) => box.setValue([option])))}
              {...(field && {
                'aria-labelledby': field.labelId,
                'aria-describedby': field['aria-describedby'],
                'aria-required': field['aria-required'],
              })}
              {...(label !== undefined && { 'aria-label': label, 'aria-labelledby': undefined })}
            />
          )}
        </Ark.Context>
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
