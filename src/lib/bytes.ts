const units = ['Bytes', 'KB', 'MB', 'GB'] as const

/** §5, R13: Bytes, KB, MB or GB on base 1024, at most two decimals: `3.5 GB`, `1.21 GB`, `612 Bytes`. */
export const formatBytes = (bytes: number): string => {
  if (!Number.isFinite(bytes) || bytes < 0) return 'Invalid size'
  let value = bytes
  let unit = 0
  // 1023.999 KB would read "1024 KB" after rounding, so the unit is chosen by the rounded value.
  while (unit < units.length - 1 && Math.round(value * 100) / 100 >= 1024) {
    value /= 1024
    unit += 1
  }
  return `${Math.round(value * 100) / 100} ${units[unit]}`
}
