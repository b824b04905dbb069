const two = (value: number) => String(value).padStart(2, '0')

/** A server time in the format of a datetime-local control, in the reader's zone: 2026-11-20T15:00. */
export const toLocal = (time: string | null): string => {
  if (time === null) return ''
  const date = new Date(time)
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
  return `${day}T${two(date.getHours())}:${two(date.getMinutes())}`
}

/** The inverse. Invalid text is returned unchanged, for the schema to refuse. */
export const fromLocal = (text: string): string => {
  const date = new Date(text)
  return Number.isNaN(date.getTime()) ? text : `${date.toISOString().slice(0, 19)}+00:00`
}
