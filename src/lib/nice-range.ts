const steps = [1, 2, 2.5, 3, 4, 5, 6, 8, 10]

/** The smallest round step that is at least `span`. */
const roundUp = (span: number): number => {
  const power = 10 ** Math.floor(Math.log10(span))
  const step = steps.find((candidate) => candidate * power >= span * (1 - 1e-9)) ?? 10
  return step * power
}

const exact = (value: number) => Number(value.toPrecision(12))

/** Low, middle and high of a scale with three lines: round numbers that include all values. */
export const niceRange = (min: number, max: number): [low: number, middle: number, high: number] => {
  if (!Number.isFinite(min) || !Number.isFinite(max)) return [0, 0.5, 1]
  // Differences below floating-point noise are not shown.
  const size = Math.max(Math.abs(min), Math.abs(max))
  const flat = max - min <= Math.max(size, 1) * 1e-6
  let step = roundUp(flat ? Math.max(10 ** Math.floor(Math.log10(size || 1)), 0.5) : (max - min) / 2)
  let low = Math.floor(min / step) * step
  for (let tries = 0; tries < steps.length && low + 2 * step < max; tries += 1) {
    step = roundUp(step * 1.01)
    low = Math.floor(min / step) * step
  }
  return [exact(low), exact(low + step), exact(low + 2 * step)]
}

/**
 * The scale of a chart: from 0 if no value is below it, with the limits that are near the values, and with room for the label of a
 * limit at its upper end. It ends at `most`, if no value is above that: no share is more than 100 %.
 */
export const chartRange = (
  min: number,
  max: number,
  limits: readonly number[],
  most = Infinity,
): [low: number, middle: number, high: number] => {
  const near = limits.filter((limit) => Math.abs(limit - max) < (max - Math.min(0, min) || 1) * 2)
  const upper = Math.max(max, ...near)
  const range = niceRange(Math.min(0, min, ...near), upper)
  const [low, , high] = range
  const top = Math.max(...near)
  const [bottom, middle, roof] = top > high - (high - low) / 8 ? niceRange(low, top + (high - low) / 8) : range
  return roof > most && upper <= most ? [bottom, (bottom + most) / 2, most] : [bottom, middle, roof]
}
