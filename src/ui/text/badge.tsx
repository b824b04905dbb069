import type { ReactNode } from 'react'
import { badge, kbd } from 'styled-system/recipes'

/** A count in a box; with `stage`, the word in capitals. */
export const Badge = ({ stage, children }: { stage?: boolean; children: ReactNode }) => (
  <span className={badge()} data-stage={stage || undefined}>
    {children}
  </span>
)

type KbdProps = { className?: string; 'aria-hidden'?: boolean; children: ReactNode }

export const Kbd = ({ className = '', ...rest }: KbdProps) => <kbd className={`${kbd()} ${className}`} {...rest} />
