import { css } from 'styled-system/css'
import type { PlanStep } from '../../../contract/updates/secure-boot/fuses'
import layout from '../../../machines/secure-boot/fuse-step/fuse-step.layout.json'
import { Statechart } from '../../ui/chart/statechart'
import { stepDisplay } from './fuse-text'

const scroll = css({ overflow: 'auto', p: '16', borderTop: 'line' })

/** How many steps are in each state, in the order of the plan. */
const countsOf = (steps: readonly PlanStep[]): [PlanStep['state'], number][] =>
  [...new Set(steps.map(({ state }) => state))].map((state) => [state, steps.filter((step) => step.state === state).length])

/** The chart of a step, with the states that the steps of the plan are in. */
export const StepChart = ({ steps }: { steps: readonly PlanStep[] }) => {
  const counts = countsOf(steps)
  return (
    <div className={scroll} tabIndex={0} role="region" aria-label="Chart of a step">
      <Statechart
        chart={layout}
        label={`Steps: ${counts.map(([state, count]) => `${count} ${stepDisplay(state).word}`).join(', ')}`}
        lit={counts.map(([state]) => `fuseStep.${state}`)}
        walked={[]}
        last={[]}
      />
    </div>
  )
}
