import type { ReactNode } from 'react'
import { badge, kbd } from 'styled-system/recipes'

/** A count in a box; with `stage`, the word in capitals. */
export const Badge = ({ stage, children }: { stage?: boolean; children: ReactNode }) => (
  <span className={badge()} data-stage={stage || undefined}>
    {children}
  </span>
)

export const Kbd = ({ children }: { children: ReactNode }) => <kbd className={kbd()}>{children}</kbd>
