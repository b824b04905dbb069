import type { TourEvent } from '../../../machines/tour/tour.machine'
import { always, type Behaviour, did } from './behaviour'

const start: TourEvent = { type: 'tour.started', steps: 3 }
const on: TourEvent = { type: 'step.advanced' }
const back: TourEvent = { type: 'step.returned' }
const missing: TourEvent = { type: 'step.missing' }

export const tour: Behaviour<TourEvent> = {
  stories: [
    { title: 'started at the first step', moves: [start], ends: 'showing', holds: { step: 0, steps: 3 } },
    { title: 'no steps, no tour', moves: [{ type: 'tour.started', steps: 0 }], ends: 'resting' },
    { title: 'on and back', moves: [start, on, on, back], ends: 'showing', holds: { step: 1 } },
    { title: 'not before the first', moves: [start, back], ends: 'showing', holds: { step: 0 } },
    { title: 'to the end', moves: [start, on, on, on], ends: 'resting', does: ['tour.ended'] },
    { title: 'a missing element is skipped', moves: [start, missing], ends: 'showing', holds: { step: 1 } },
    { title: 'even the last one', moves: [start, missing, missing, missing], ends: 'resting', does: ['tour.ended'] },
    { title: 'left at any step', moves: [start, on, { type: 'tour.left' }], ends: 'resting', does: ['tour.ended'] },
    {
      title: 'restarted from the first step',
      moves: [start, on, { type: 'tour.left' }, start],
      ends: 'showing',
      holds: { step: 0 },
    },
  ],
  invariants: [
    always(
      'the step is always one of the steps',
      ({ after: s }) => !s.hasTag('visible') || (s.context.step >= 0 && s.context.step < s.context.steps),
    ),
    always(
      'the end is told exactly when the tour goes',
      (step) => did(step, 'tour.ended') === (step.before.hasTag('visible') && !step.after.hasTag('visible')),
    ),
    always('left is not finished', ({ move, effects }) =>
      effects.every(({ type, finished }) => type !== 'tour.ended' || finished === (move?.type !== 'tour.left')),
    ),
  ],
}
