import { setup } from 'xstate'
import type { PlanStep } from '../../../contract/updates/secure-boot/fuses'
import { chartQuery } from '../../chart-query'

export type FuseStepEvent = {
  type:
    /** All steps before it are verified. */
    | 'steps.verified'
    /** The name of the bundle was typed; for an irreversible step, the phrase of the step. */
    | 'step.confirmed'
    | 'step.declined'
    | 'write.ended'
    /** The device was read: it has the expected value. */
    | 'value.matched'
    /** The device was read: bits are still to be written, and none would have to be cleared. */
    | 'value.incomplete'
    /** The device was read: it has a value that this step cannot make the expected one. */
    | 'value.differed'
}

/** `writing`: the command may have run. `failed`: nothing is written any more. */
export type FuseStepTag = 'writing' | 'succeeded' | 'failed'

const read = { 'value.matched': 'verified', 'value.differed': 'mismatch' } as const

export const fuseStepMachine = setup({
  types: { events: {} as FuseStepEvent, tags: {} as FuseStepTag },
}).createMachine({
  id: 'fuseStep',
  initial: 'blocked',
  states: {
    blocked: { on: { 'steps.verified': 'pending', ...read } },
    pending: { on: { 'step.confirmed': 'confirmed', ...read } },
    // The script may be stopped at any moment, so the next run reads the device first and asks again if the value is incomplete.
    confirmed: {
      tags: 'writing',
      on: { 'write.ended': 'written', 'step.declined': 'pending', 'value.incomplete': 'pending', ...read },
    },
    written: { tags: 'writing', on: { 'value.incomplete': 'pending', ...read } },
    verified: { tags: 'succeeded', on: { 'value.incomplete': 'blocked', 'value.differed': 'mismatch' } },
    mismatch: { tags: 'failed', on: { 'value.incomplete': 'blocked', 'value.matched': 'verified' } },
  },
})

export type FuseStepMove = FuseStepEvent['type']
/** The possible transitions of a step of a fuse plan. */
export const fuseStepMoves = chartQuery<PlanStep['state'], FuseStepMove, FuseStepTag>(fuseStepMachine)
