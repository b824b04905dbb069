import type { ReactNode } from 'react'
import { css } from 'styled-system/css'

const columns = css({
  display: 'grid',
  gap: '24',
  alignItems: 'start',
  gridTemplateColumns: { base: 'minmax(0, 1fr)', lg: 'minmax(0, 1fr) minmax(0, 1fr)' },
})
const beside = css({
  display: 'grid',
  gap: '16',
  gridTemplateColumns: 'minmax(0, 1fr)',
  position: { lg: 'sticky' },
  top: { lg: '64' },
})

/** The form, and beside it what it has made. */
export const GeneratorColumns = ({ result, children }: { result: ReactNode; children: ReactNode }) => (
  <div className={columns}>
    {children}
    <div className={beside}>{result}</div>
  </div>
)
