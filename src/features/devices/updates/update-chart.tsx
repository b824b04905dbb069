import { useLayoutEffect, useRef } from 'react'
import { css } from 'styled-system/css'
import layout from '../../../../machines/device-update/device-update.layout.json'
import { updateDisplay } from '../../../lib/status-display'
import { Statechart } from '../../../ui/chart/statechart'
import type { Attempt } from './attempts'
import { wayOf } from './update-way'

const scroll = css({ overflow: 'auto', p: '16', maxH: '640' })

/** The chart of a device update with the present state of an attempt, and the way that it took. */
export const UpdateChart = ({ attempt, state }: { attempt: Attempt; state: string }) => {
  const box = useRef<HTMLDivElement>(null)
  // The chart is larger than its box: the present state is in its middle.
  useLayoutEffect(() => {
    const present = box.current?.querySelector(`[data-id$=".${CSS.escape(state)}"]`)
    if (!box.current || !present) return
    const [outer, inner] = [box.current.getBoundingClientRect(), present.getBoundingClientRect()]
    box.current.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2
    box.current.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2
  }, [state])
  return (
    <div ref={box} className={scroll} tabIndex={0} role="region" aria-label="States of the update">
      <Statechart
        chart={layout}
        label={`${attempt.name}, attempt ${attempt.attempt}: ${updateDisplay(state).word}`}
        {...wayOf(attempt.events.toReversed(), state)}
      />
    </div>
  )
}
