import type { AnyMachineSnapshot, EventObject } from 'xstate'
import type { Answer, Step } from '../moves'

/** An example of a chart's behavior: its moves, where it ends, and what it did on the way. */
export type Story<E extends EventObject = EventObject> = {
  title: string
  start?: string
  moves: readonly (E | Answer | Delay)[]
  /** The atomic states, as paths. */
  ends: string | readonly string[]
  /** Announcements and named actions of all steps, in order; those of ports, delays and children are not listed. */
  does?: readonly string[]
  /** Values of the context at the end, field by field. */
  holds?: Record<string, unknown>
  /** The input of the port that was invoked last. */
  asks?: unknown
}

/** A property that must hold after any sequence of events. */
export type Invariant = { says: string; holds: (steps: readonly Step[]) => boolean }
export type Behaviour<E extends EventObject = EventObject> = { stories: readonly Story<E>[]; invariants: readonly Invariant[] }

/** The end of a delay, in any state. */
type Delay = { type: `after ${string}` }
export const after = (delay: string): Delay => ({ type: `after ${delay}` })

/** A property of every single step. */
export const always = (says: string, isTrue: (step: Step) => boolean): Invariant => ({
  says,
  holds: (steps) => steps.every(isTrue),
})

export const leavesOf = (snapshot: AnyMachineSnapshot): string[] =>
  snapshot._nodes.filter(({ type }) => type === 'atomic' || type === 'final').map(({ path }) => path.join('.'))

export const did = ({ effects }: Step, type: string): boolean => effects.some((effect) => effect.type === type)
export const count = (steps: readonly Step[], type: string): number =>
  steps.reduce((sum, { effects }) => sum + effects.filter((effect) => effect.type === type).length, 0)

const silent = ['asks', 'stops', 'waits']
export const doings = (steps: readonly Step[]): string[] =>
  steps.flatMap(({ effects }) => effects.map(({ type }) => type)).filter((type) => !silent.includes(type))
