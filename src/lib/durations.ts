const two = (value: number) => String(value).padStart(2, '0')

/** Two units at most: "18 s", "3 min", "1 h 37 min", "2 d 4 h". Never negative. */
export const formatDuration = (seconds: number): string => {
  if (!Number.isFinite(seconds)) return '–'
  const s = Math.max(0, Math.floor(seconds))
  if (s < 60) return `${s} s`
  if (s < 600 && s % 60 !== 0) return `${Math.floor(s / 60)} min ${two(s % 60)} s`
  if (s < 3600) return `${Math.floor(s / 60)} min`
  const minutes = Math.floor((s % 3600) / 60)
  if (s < 86_400) return minutes === 0 ? `${Math.floor(s / 3600)} h` : `${Math.floor(s / 3600)} h ${two(minutes)} min`
  const hours = Math.floor((s % 86_400) / 3600)
  return hours === 0 ? `${Math.floor(s / 86_400)} d` : `${Math.floor(s / 86_400)} d ${hours} h`
}
