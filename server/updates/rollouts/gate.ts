import type { Gate } from '../../../contract/rollout-plans'

/** What became of the devices of one wave. What was skipped or cancelled is not among them. */
export type WaveCounts = { targeted: number; succeeded: number; failed: number; running: number; waiting: number }
export type Measure = {
  success_percent: number | null
  failure_percent: number | null
  /** `open`: too little has ended to say. `filled`: the wave may soak now. */
  verdict: 'open' | 'failed' | 'filled'
  text: string
}

const share = (part: number, whole: number) => (whole === 0 ? null : Math.round((part / whole) * 1000) / 10)

/**
 * The gate of a wave (product.md 4.9). Halts as soon as enough have ended and too many of them badly, or at once when the
 * devices that are left cannot bring the level back down. Is filled when all have ended well enough, or when those that
 * have ended are already enough for the whole wave and none is under way: a device that never comes holds up nobody.
 */
export const measure = ({ targeted, succeeded, failed, running }: WaveCounts, gate: Gate): Measure => {
  const ended = succeeded + failed
  const facts = { success_percent: share(succeeded, ended), failure_percent: share(failed, ended) }
  const sample = Math.min(targeted, Math.max(gate.min_sample, 1))
  const isOver = (whole: number) => failed * 100 > gate.max_failure_percent * whole
  const isEnough = (whole: number) => succeeded * 100 >= gate.min_success_percent * whole
  if (ended >= sample && ended > 0 && isOver(ended))
    return { ...facts, verdict: 'failed', text: `${failed} of ${ended} failed, at most ${gate.max_failure_percent} % may` }
  if (targeted > 0 && isOver(targeted))
    return { ...facts, verdict: 'failed', text: `${failed} of ${targeted} failed, and the rest cannot make up for it` }
  if (ended >= targeted)
    return isEnough(targeted)
      ? { ...facts, verdict: 'filled', text: `${succeeded} of ${targeted} succeeded` }
      : { ...facts, verdict: 'failed', text: `${succeeded} of ${targeted} succeeded, ${gate.min_success_percent} % are needed` }
  const early = ended >= sample && running === 0 && isEnough(targeted)
  return { ...facts, verdict: early ? 'filled' : 'open', text: `${ended} of ${targeted} have ended` }
}
