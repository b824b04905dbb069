import { Button } from './button'
import type { ButtonProps } from './button'
import { Hint } from './hint'
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
  return hint && refused === undefined ? (
    <Hint text={label} side={side} align={align}>
      {body}
    </Hint>
  ) : (
    body
  )
}
