import { Combobox as Ark, createListCollection } from '@ark-ui/react/combobox'
import { Portal } from '@ark-ui/react/portal'
import { useEffect, useMemo, useRef, useState } from 'react'
import { combobox } from 'styled-system/recipes'
import { useField } from './use-field'
import { Icon } from '../icon/icon'
import { matching, plain } from './matching'
import { NoOptions } from './no-options'
import type { Option } from './option'
import { useKeptFocus } from '../list/use-kept-focus'

type Props<V extends string> = {
  items: readonly Option<V>[]
  value?: V | '' | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V | '') => void
  /** Called on blur with the typed text, to convert it to a value. */
  onLeave?: (typed: string) => void
  /** The text for which Enter, or blur, found no option; undefined after further typing or a selection. */
  onUnmatched?: (typed: string | undefined) => void
  name?: string
  placeholder?: string
  disabled?: boolean
  label?: string
}

type FormValueProps = { name: string; value: string; items: readonly { value: string }[]; disabled: boolean | undefined }

/**
 * What a form gets: the value, since the text control has the label. A choice is reported like typing. A value that is not in the
 * list is not sent: no option is shown as chosen then.
 */
const FormValue = ({ name, value, items, disabled }: FormValueProps) => {
  const element = useRef<HTMLInputElement>(null)
  const reported = useRef(value)
  useEffect(() => {
    if (reported.current === value) return
    reported.current = value
    element.current?.dispatchEvent(new Event('input', { bubbles: true }))
  }, [value])
  const isListed = value === '' || items.some((item) => item.value === value)
  return <input ref={element} type="hidden" name={isListed ? name : undefined} value={value} disabled={disabled} />
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
  const { control, onOpenChange } = useKeptFocus<HTMLInputElement>()
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
  /** Selects the option of that name on blur; without one, the typed text is cleared and reported. */
  const settle = (select: (option: V) => void) => {
    const wanted = plain(typed.trim())
    const named = items.find(({ label: name, disabled: off }) => !off && plain(name) === wanted)
    if (named) select(named.value)
    else if (wanted !== '') onUnmatched?.(typed.trim())
  }
  return (
    <Ark.Root
      collection={collection}
      // Ark finds its own input by this id.
      {...(field && { ids: { input: field.id } })}
      className={classes.root}
      {...(value !== undefined && { value: value === '' ? [] : [value] })}
      {...(defaultValue !== undefined && { defaultValue: [defaultValue] })}
      // Enter selects the highlighted option: the first one that matches.
      inputBehavior={typed.trim() === '' ? 'none' : 'autohighlight'}
      onInputValueChange={(change) => {
        if (change.reason === 'input-change') onUnmatched?.(undefined)
        setTyped(change.reason === 'input-change' ? change.inputValue : '')
      }}
      onValueChange={(change) => {
        onUnmatched?.(undefined)
        onValueChange?.(items.find((item) => item.value === change.value[0])?.value ?? '')
      }}
      disabled={disabled}
      invalid={field?.['aria-invalid']}
      placeholder={placeholder}
      positioning={{ sameWidth: true, gutter: 4 }}
      openOnClick
      onOpenChange={onOpenChange}
      lazyMount
      unmountOnExit
    >
      <Ark.Control className={classes.control}>
        <Ark.Context>
          {(box) => (
            <>
              {name !== undefined && <FormValue name={name} value={box.value[0] ?? ''} items={items} disabled={disabled} />}
              <Ark.Input
                ref={control}
                className={classes.input}
                onKeyDownCapture={(event) => {
                  const text = event.currentTarget.value
                  if (event.key !== 'Enter' || event.nativeEvent.isComposing || typed.trim() === '' || text.trim() === '') return
                  const fitting = matching(items, text)
                  const [first] = fitting
                  if (!first) return onUnmatched?.(text.trim())
                  // The highlighted option may be of the list before the last letter.
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
            </>
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
