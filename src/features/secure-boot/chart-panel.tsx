import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { SecureBootBundle } from '../../../contract/secure-boot/bundles'
import { lazyPart } from '../../system/lazy'
import { Button } from '../../ui/button'
import { Panel, PanelBody, PanelSkeletons } from '../../ui/panel'

const BundleChart = lazyPart(() => import('./bundle-chart').then((part) => part.BundleChart))

/** The chart of a bundle, loaded when somebody wants to see it. */
export const ChartPanel = ({ bundle }: { bundle: SecureBootBundle }) => {
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
        <Suspense fallback={<PanelSkeletons rows={4} />}>
          <BundleChart bundle={bundle} />
        </Suspense>
      ) : (
        <PanelBody>
          <span className={css({ color: 'muted' })}>All states of a bundle, and the one it is in.</span>
        </PanelBody>
      )}
    </Panel>
  )
}
