import { describe, test } from 'vitest'
import { charts } from './charts'
import { challenge } from './random'
import { within } from '../support/machine-load'

/** TEASEL_MODEL_RUNS=10 runs ten times as many walks. */
const factor = Number(process.env.TEASEL_MODEL_RUNS ?? 1)

describe.each(charts)('$name', ({ model, behaviour, runs }) => {
  test(
    `${behaviour.invariants.length} sentences hold on ${runs * factor} random walks of up to 50 events`,
    { timeout: within(120_000 * factor) },
    () => {
      challenge(model, behaviour.invariants, runs * factor)
    },
  )
})
