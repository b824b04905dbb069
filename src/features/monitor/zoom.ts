/** A fixed range of time, in milliseconds since 1970. */
export type Zoom = { from: number; to: number }

/** Five points of the shortest step. */
const leastMs = 300_000

export const parseZoom = (text: string | undefined): Zoom | undefined => {
  const [, from, to] = /^(\d{9,11})-(\d{9,11})$/.exec(text ?? '') ?? []
  const zoom = { from: Number(from) * 1000, to: Number(to) * 1000 }
  return zoom.to - zoom.from >= leastMs ? zoom : undefined
}

/** In the address, in seconds. */
export const formatZoom = ({ from, to }: Zoom): string => `${Math.floor(from / 1000)}-${Math.ceil(to / 1000)}`

/** A range of at least five minutes around its middle, not in the future. */
const around = (middle: number, length: number, now: number): Zoom => {
  const span = Math.max(leastMs, length)
  const to = Math.min(now, middle + span / 2)
  return { from: to - span, to }
}

export const zoomTo = ({ from, to }: Zoom, now: number): Zoom => around((from + to) / 2, to - from, now)

export const zoomIn = ({ from, to }: Zoom, now: number): Zoom => around((from + to) / 2, (to - from) / 2, now)

/** Twice as long; undefined once it would be as long as the whole range. */
export const zoomOut = ({ from, to }: Zoom, wholeMs: number, now: number): Zoom | undefined =>
  (to - from) * 2 >= wholeMs ? undefined : around((from + to) / 2, (to - from) * 2, now)

/** Half of its length earlier (-1) or later (1). */
export const shift = ({ from, to }: Zoom, way: -1 | 1, now: number): Zoom => {
  const length = to - from
  return around((from + to) / 2 + (way * length) / 2, length, now)
}
