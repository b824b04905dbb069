import { useSyncExternalStore } from 'react'
import type { SteppedClock } from '../../system/refresh/stepped-clock'
import { Button } from '../../ui/button'
import { Switch } from '../../ui/form/choice'
import { inspector } from './inspector.recipe'

const steps = [
  ['100 ms', 100],
  ['1 s', 1000],
  ['10 s', 10_000],
] as const

/** Controls that pause the charts' delays and advance them by hand. */
export const ClockControls = ({ clock }: { clock: SteppedClock }) => {
  const held = useSyncExternalStore(clock.subscribe, clock.held)
  return (
    <div className={inspector.clock} role="group" aria-label="Clock of the delays">
      <Switch checked={held} onChange={(event) => (event.target.checked ? clock.hold() : clock.release())}>
        Pause the clock
      </Switch>
      {steps.map(([words, ms]) => (
        <Button key={ms} size="small" disabled={!held} onClick={() => clock.step(ms)}>
          + {words}
        </Button>
      ))}
    </div>
  )
}
