import type { ComponentProps, ElementType, ReactElement } from 'react'
import { cx } from 'styled-system/css'

/**
 * Components with the classes of a slot recipe. Panda's `createStyleContext` does the same through a context, for recipes with
 * variants, and brings 4.7 kB of code that every dialog, menu and popover would wait for.
 */
export const slotsOf = <Slot extends string>(recipe: () => Record<Slot, string>) => {
  const classes = recipe()
  return <Component extends ElementType>(component: Component, slot: Slot) => {
    const Part: ElementType = component
    const own = classes[slot]
    return (props: ComponentProps<Component>): ReactElement => <Part {...props} className={cx(own, props.className)} />
  }
}
