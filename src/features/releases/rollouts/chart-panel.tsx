import { Suspense, useState } from 'react'
import { css } from 'styled-system/css'
import type { Rollout } from '../../../../contract/rollouts'
import { lazyPart } from '../../../system/lazy'
import { Button } from '../../../ui/button'
import { Panel, PanelBody, PanelSkeletons } from '../../../ui/panel'

const RolloutChart = lazyPart(() => import('./rollout-chart').then((part) => part.RolloutChart))

/** The chart of a rollout, loaded when somebody wants to see it. */
export const ChartPanel = ({ rollout }: { rollout: Rollout }) => {
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
          <RolloutChart rollout={rollout} />
        </Suspense>
      ) : (
        <PanelBody>
          <span className={css({ color: 'muted' })}>All states of a rollout, and the way that this one took.</span>
        </PanelBody>
      )}
    </Panel>
  )
}
