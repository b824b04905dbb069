import { hint as hintRecipe } from 'styled-system/recipes'
import { Button } from '../button'
import type { ButtonProps } from '../button'
import { Icon } from './icon'
import type { IconName } from './icon'

type Props = Omit<ButtonProps, 'children' | 'icon'> & {
  icon: IconName
  /** The accessible name, also shown on hover and focus. */
  label: string
  side?: 'bottom' | 'top' | 'right'
  align?: 'center' | 'start' | 'end'
  hint?: boolean
}

export const IconButton = ({ icon, label, side, align, hint = true, refused, ...rest }: Props) => {
  const body = (
    <Button square aria-label={label} refused={refused} {...rest}>
      <Icon name={icon} />
    </Button>
  )
  if (!hint || refused !== undefined) return body
  // Assistive technology has read the name already: it needs no tooltip to describe the button.
  return (
    <span className={hintRecipe().root} data-hint={label} data-side={side} data-align={align}>
      {body}
    </span>
  )
}
