import type { ReactNode } from 'react'
import { css, cx } from 'styled-system/css'
import { link } from 'styled-system/recipes'

// Tall enough for a finger on a phone, without making its line taller.
const inLine = css({ py: { base: '8', md: '0' }, my: { base: '-8!', md: '0!' } })

/** Edits a fact in place. */
export const FactButton = ({ label, onClick, children }: { label?: string; onClick: () => void; children: ReactNode }) => (
  <button type="button" className={cx(link(), inLine)} aria-label={label} onClick={onClick}>
    {children}
  </button>
)
