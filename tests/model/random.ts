import fc from 'fast-check'
import { type AnyMachineSnapshot, type AnyStateMachine } from 'xstate'
import type { Model } from '../../machines/model'
import type { Invariant } from './behaviour/behaviour'
import { begin, keyOf, type Move, movesAt, type Step, step } from './moves'

type Place = { snapshot: AnyMachineSnapshot; moves: Move[]; steps: Map<number, { step: Step; to: Place }> }

/** The situations of a chart, computed when reached. A chart is pure, so each step is computed once. */
const world = (model: Model) => {
  const places = new Map<string, Place>()
  const placeOf = (snapshot: AnyMachineSnapshot): Place => {
    const key = keyOf(snapshot)
    const known = places.get(key)
    if (known) return known
    const place: Place = { snapshot, moves: movesAt(model, snapshot), steps: new Map() }
    places.set(key, place)
    return place
  }
  const from = (place: Place, at: number) => {
    const known = place.steps.get(at)
    if (known) return known
    const taken = step(model.machine, place.snapshot, place.moves[at]!)
    const next = { step: taken, to: placeOf(taken.after) }
    place.steps.set(at, next)
    return next
  }
  const starts = Object.values(model.starts).map((input) => begin(model.machine, input))

  /** The walk of a list of numbers: the first chooses the start, every other one of the possible moves. */
  const walk = ([start = 0, ...choices]: readonly number[]): Step[] => {
    const first = starts[start % starts.length]!
    const steps = [first]
    let place = placeOf(first.after)
    for (const choice of choices) {
      if (place.moves.length === 0) break
      const next = from(place, choice % place.moves.length)
      steps.push(next.step)
      place = next.to
    }
    return steps
  }
  return { walk, size: () => places.size }
}

/** The invariants of every chart. */
const common = (_machine: AnyStateMachine): Invariant[] => [
  {
    says: 'the context is JSON and stays small',
    holds: (steps) => {
      const { context } = steps.at(-1)!.after
      const text = JSON.stringify(context)
      return text.length < 4000 && JSON.stringify(structuredClone(context)) === text
    },
  },
]

/** Throws for the first broken invariant, with the shortest walk that shows it. */
export const challenge = (model: Model, invariants: readonly Invariant[], numRuns: number, seed?: number): void => {
  const { walk } = world(model)
  const sequence = fc.tuple(fc.nat(7), fc.array(fc.nat(9999), { minLength: 1, maxLength: 50 }))
  const all = [...common(model.machine), ...invariants]
  fc.assert(
    fc.property(sequence, ([start, choices]) => {
      const steps = walk([start, ...choices])
      const broken = all.find(({ holds }) => !holds(steps))
      if (broken)
        throw new Error(
          `Not true: ${broken.says}\n${steps.map(({ move, after }) => `${JSON.stringify(move)} → ${keyOf(after)}`).join('\n')}`,
        )
    }),
    { numRuns, ...(seed !== undefined && { seed }) },
  )
}
