import type { Gate } from '../../../../contract/updates/rollout-plans'

/** States of the devices of one wave. Skipped and cancelled devices are not counted. */
export type WaveCounts = { targeted: number; succeeded: number; failed: number; running: number; waiting: number }
export type Measure = {
  success_percent: number | null
  failure_percent: number | null
  /** `open`: too few have ended to decide. `filled`: the wave may soak now. */
  verdict: 'open' | 'failed' | 'filled'
  text: string
}

export const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 1000) / 10)

/**
 * Evaluates the gate of a wave. It fails as soon as enough devices have ended and too many of them failed, or at once when the
 * remaining devices cannot bring the failure rate back below the limit. It is filled when all have ended well enough, or when
 * those that have ended are enough for the whole wave and none is running: an absent device does not block the wave.
 */
export const evaluateGate = ({ targeted, succeeded, failed, running }: WaveCounts, gate: Gate): Measure => {
  const ended = succeeded + failed
  const facts = { success_percent: share(succeeded, ended), failure_percent: share(failed, ended) }
  const sample = Math.min(targeted, Math.max(gate.min_sample, 1))
  const isOver = (whole: number) => failed * 100 > gate.max_failure_percent * whole
  const isEnough = (whole: number) => succeeded * 100 >= gate.min_success_percent * whole
  if (ended >= sample && ended > 0 && isOver(ended))
    return { ...facts, verdict: 'failed', text: `${failed} of ${ended} failed, at most ${gate.max_failure_percent} % may` }
  if (targeted > 0 && isOver(targeted))
    return { ...facts, verdict: 'failed', text: `${failed} of ${targeted} failed, and the remaining devices cannot change that` }
  if (ended >= targeted)
    return isEnough(targeted)
      ? { ...facts, verdict: 'filled', text: `${succeeded} of ${targeted} succeeded` }
      : { ...facts, verdict: 'failed', text: `${succeeded} of ${targeted} succeeded, ${gate.min_success_percent} % are needed` }
  const early = ended >= sample && running === 0 && isEnough(targeted)
  return { ...facts, verdict: early ? 'filled' : 'open', text: `${ended} of ${targeted} have ended` }
}

type Critical = { before: number; critical: number }

// A smaller number of critical devices can be chance.
const leastCritical = 3

/**
 * Evaluates the health gate of a wave: `before` of its devices were in critical health when it opened, `critical` of those that
 * succeeded are now. Fails when the share has more than doubled.
 */
export const evaluateHealth = (
  { targeted, succeeded }: Pick<WaveCounts, 'targeted' | 'succeeded'>,
  { before, critical }: Critical,
): string | null =>
  critical >= leastCritical && critical * targeted > 2 * before * succeeded
    ? `${critical} of ${succeeded} updated devices are in critical health, before the wave it was ${before} of ${targeted}`
    : null
