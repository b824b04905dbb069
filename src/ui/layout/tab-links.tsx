import type { ReactNode } from 'react'
import { tabs } from 'styled-system/recipes'

/** Tabs that are routes: a row of the router's links, each with `className={tabClass}`. */
export const TabLinks = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav aria-label={label} className={tabs().list}>
    {children}
  </nav>
)

export const tabClass = () => tabs().trigger
