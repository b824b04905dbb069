import type { ComponentProps } from 'react'
import { cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'
import { Icon } from '../icon/icon'

type Props = ComponentProps<'a'> & { external?: boolean }

/** A link out of the app. Links inside it are the router's own, styled with `link()` from styled-system/recipes. */
export const TextLink = ({ external, className, children, ...rest }: Props) => (
  <a {...(external && { target: '_blank', rel: 'noreferrer' })} {...rest} className={cx(link(), className)}>
    {children}
    {external && <Icon name="ext" size={12} label="opens in a new tab" />}
  </a>
)
