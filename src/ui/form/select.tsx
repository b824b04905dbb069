import { Portal } from '@ark-ui/react/portal'
import { Select as Ark, createListCollection } from '@ark-ui/react/select'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { select } from 'styled-system/recipes'
import { useField } from './use-field'
import { Icon } from '../icon/icon'
import { NoOptions } from './no-options'
import type { Option } from './option'
import { useKeptFocus } from '../list/use-kept-focus'

type Props<V extends string> = {
  items: readonly Option<V>[]
  value?: V | undefined
  defaultValue?: V | undefined
  onValueChange?: (value: V) => void
  name?: string
  placeholder?: string
  disabled?: boolean
  /** Its accessible name without a `Field`. */
  label?: string
  /** 28 px, as wide as its text: for tool rows. */
  small?: boolean
  icon?: ReactNode
}

/** One of few. For more than seven: `Combobox`, which searches. */
export const Select = <V extends string>({
  items,
  value,
  defaultValue,
  onValueChange,
  name,
  placeholder,
  disabled,
  label,
  small,
  icon,
}: Props<V>) => {
  const field = useField()
  const { control, onOpenChange } = useKeptFocus<HTMLButtonElement>()
  const classes = select()
  const collection = useMemo(
    () =>
      createListCollection({
        items: [...items],
        itemToString: (item) => item.label,
        isItemDisabled: (item) => item.disabled ?? false,
      }),
    [items],
  )
  return (
    <Ark.Root
      collection={collection}
      // Ark finds its own trigger by this id.
      {...(field && { ids: { trigger: field.id } })}
      className={classes.root}
      data-size={small ? 'small' : undefined}
      {...(value !== undefined && { value: value === '' ? [] : [value] })}
      {...(defaultValue !== undefined && { defaultValue: [defaultValue] })}
      onValueChange={(change) => {
        const chosen = change.items[0]
        if (chosen) onValueChange?.(chosen.value)
      }}
      disabled={disabled}
      invalid={field?.['aria-invalid']}
      positioning={{ sameWidth: !small, gutter: 4 }}
      onOpenChange={onOpenChange}
      lazyMount
      unmountOnExit
    >
      <Ark.Control className={classes.control}>
        <Ark.Trigger
          ref={control}
          className={classes.trigger}
          {...(field && {
            'aria-labelledby': `${field.labelId} ${field.id}`,
            'aria-describedby': field['aria-describedby'],
          })}
          {...(label !== undefined && { 'aria-label': label, 'aria-labelledby': undefined })}
        >
          {icon}
          <Ark.Context>
            {({ value: [chosen] }) =>
              collection.has(chosen ?? null) ? (
                <Ark.ValueText className={classes.valueText} />
              ) : (
                <Ark.ValueText className={classes.valueText} data-placeholder-shown>
                  {placeholder ?? 'Choose'}
                </Ark.ValueText>
              )
            }
          </Ark.Context>
          <Ark.Indicator className={classes.indicator}>
            <Icon name="down" size={small ? 14 : 16} />
          </Ark.Indicator>
        </Ark.Trigger>
      </Ark.Control>
      <Portal>
        <Ark.Positioner>
          <Ark.Content className={classes.content}>
            {items.length === 0 && <NoOptions className={classes.empty} />}
            {collection.items.map((item) => (
              <Ark.Item key={item.value} item={item} className={classes.item}>
                {item.icon}
                <Ark.ItemText className={classes.itemText}>{item.label}</Ark.ItemText>
                <Ark.ItemIndicator className={classes.itemIndicator}>
                  <Icon name="check" />
                </Ark.ItemIndicator>
              </Ark.Item>
            ))}
          </Ark.Content>
        </Ark.Positioner>
      </Portal>
      <Ark.Context>
        {({ value: [chosen] }) => (
          // A native select falls back to its first option: it is made again for new options, and has no name while its value is
          // none of them.
          <Ark.HiddenSelect
            key={items.map((item) => item.value).join('\n')}
            {...(name !== undefined && (chosen === undefined || collection.has(chosen)) && { name })}
          />
        )}
      </Ark.Context>
    </Ark.Root>
  )
}
