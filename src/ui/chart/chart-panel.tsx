import { type ReactNode, Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import { Button } from '../button'
import { Panel, PanelBody, PanelSkeletons } from '../layout/panel'

type Props = {
  /** What the chart shows. */
  about: string
  /** The chart: may be loaded when somebody wants to see it. */
  children: ReactNode
}

/** A panel with a chart that is shown on demand. */
export const ChartPanel = ({ about, children }: Props) => {
  const [open, setOpen] = useState(false)
  return (
    <Panel
      flush
      title="Chart"
      aside={
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide chart' : 'Show chart'}
        </Button>
      }
    >
      {open ? (
        <Suspense fallback={<PanelSkeletons rows={4} />}>{children}</Suspense>
      ) : (
        <PanelBody>
          <span className={css({ color: 'muted' })}>{about}</span>
        </PanelBody>
      )}
    </Panel>
  )
}
