const steps = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const

const oneDecimal = (value: number) => Math.round(value * 10) / 10

/** §9: below 1000 unchanged; above with K, M, B or T and one decimal: `1.2K`. */
export const shorten = (amount: number): string => {
  // §8
  if (!Number.isFinite(amount) || amount < 0) return 'Invalid amount'
  if (amount < 1000) return String(amount)
  // 999,999 is 1.0M, not 1000.0K: the letter is chosen by the rounded value.
  const [size, letter] = steps.find(([step]) => oneDecimal((amount / step) * 1000) >= 1000) ?? [1e3, 'K']
  return `${oneDecimal(amount / size).toFixed(1)}${letter}`
}

const whole = new Intl.NumberFormat('en-US')

/** A count in full, grouped: `1,284`. */
export const formatCount = (count: number): string => whole.format(count)

/** §9: floored; 0 when the divisor is below 1. Between 0 and 100. */
export const percent = (part: number, of: number): number => {
  if (!(of >= 1) || !(part > 0)) return 0
  return Math.min(100, Math.floor((part / of) * 100))
}
