import type { ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'

// As high as a finger needs on a phone, and no higher than its line in the layout.
const inLine = css({ py: { base: '8', md: '0' }, my: { base: '-8!', md: '0!' } })

/** What can be changed about a fact, where it stands. */
export const FactButton = ({ label, onClick, children }: { label?: string; onClick: () => void; children: ReactNode }) => (
  <button type="button" className={cx(link(), inLine)} aria-label={label} onClick={onClick}>
    {children}
  </button>
)
