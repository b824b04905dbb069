import { type PointerEvent, useSyncExternalStore } from 'react'
import { formatAgo, formatAhead, formatDate, formatExact, parseTime } from '../../lib/dates'

/** One clock for all relative times of the page; it stops while none is shown. */
const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const read = () => now

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const one of listeners) one()
    }, 1000)
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** The current second, for texts that count towards a time. */
export const useNow = (): Date => new Date(useSyncExternalStore(subscribe, read))

type Props = { value: string | Date | null | undefined; never?: string }

const dateOf = (value: string | Date) => (typeof value === 'string' ? parseTime(value) : value)
const isoOf = (date: Date) => (Number.isNaN(date.getTime()) ? undefined : date.toISOString())

/** To the second, with the offset. */
export const exactTime = (value: string): string => formatExact(parseTime(value))

const useAgo = ({ value, never = 'Never' }: Props) => {
  const date = value ? dateOf(value) : undefined
  const words = useSyncExternalStore(subscribe, () => (date ? formatAgo(date, new Date(read())) : never))
  return { date, words }
}

/** "18 s ago", exact on hover. Re-renders only when the text changes. */
export const RelativeTime = (props: Props) => {
  const { date, words } = useAgo(props)
  return date ? (
    <time dateTime={isoOf(date)} title={formatExact(date)}>
      {words}
    </time>
  ) : (
    <span>{words}</span>
  )
}

/** The same as text alone, for cells of long lists: an element less in each row. */
export const AgoText = (props: Props) => useAgo(props).words

const hoverOf = (date: Date) => {
  const now = new Date()
  return `${formatExact(date)}, ${date > now ? formatAhead(date, now) : formatAgo(date, now)}`
}

/** MM/dd/yyyy hh:mm a, for a single date; on hover to the second, and its age. */
export const DateTime = ({ value, never = '–' }: Props) => {
  const date = value ? dateOf(value) : undefined
  const notifyListeners = (event: PointerEvent<HTMLTimeElement>) => {
    if (date) event.currentTarget.title = hoverOf(date)
  }
  return date ? (
    <time dateTime={isoOf(date)} title={hoverOf(date)} onPointerEnter={notifyListeners}>
      {formatDate(date)}
    </time>
  ) : (
    <span>{never}</span>
  )
}
