import type { InspectionEvent } from 'xstate'
import { createSteppedClock, type SteppedClock } from './refresh/stepped-clock'

/** Records all inspection events of the charts from the start, and has the clock of their delays. */
export type Inspection = {
  clock: SteppedClock
  hear: (event: InspectionEvent) => void
  /** Replays the earlier events first. */
  listen: (listener: (event: InspectionEvent) => void) => void
}

const createTap = (): Inspection => {
  const early: InspectionEvent[] = []
  let deliver = (event: InspectionEvent): unknown => early.push(event)
  return {
    clock: createSteppedClock(),
    hear: (event) => void deliver(event),
    listen: (listener) => {
      deliver = listener
      for (const event of early.splice(0)) listener(event)
    },
  }
}

const name = 'inspect'

/** `?inspect` is remembered by the tab, so that signing in and reloading keep the inspector; `?inspect=off` ends it. */
const isAsked = (page: Window): boolean => {
  try {
    const asked = new URLSearchParams(page.location.search).get(name)
    if (asked !== null) page.sessionStorage.setItem(name, asked)
    return (page.sessionStorage.getItem(name) ?? 'off') !== 'off'
  } catch {
    return false
  }
}

/** Only in development, and only with `?inspect`. */
export const inspection: Inspection | undefined =
  import.meta.env.DEV && typeof window !== 'undefined' && isAsked(window) ? createTap() : undefined

/** The options of every actor of the console. Undefined in production. */
export const actorOptions = inspection && { inspect: inspection.hear, clock: inspection.clock }
