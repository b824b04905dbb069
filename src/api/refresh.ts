/** Refetch intervals by how fast the data changes (docs/decisions/0011). In milliseconds. A chart's is at least the last one. */
export const paces = { log: 2000, event: 5000, fleet: 10_000, list: 30_000, chart: 31_000 } as const

/** Lists that only people and events change, while the stream of events says when. */
const liveListMs = 120_000
let live = false
/** Whether the stream of events is open. Returns whether it was. */
export const setLive = (isLive: boolean): boolean => {
  const was = live
  live = isLive
  return was
}

/** What the user chose instead of the paces: milliseconds, or false for never. */
let chosen: number | false | undefined
export const chosenInterval = (): typeof chosen => chosen
export const chooseInterval = (to: typeof chosen): void => void (chosen = to)

// A tail that is switched on and the progress of a job are watched: they keep their pace.
const paceOf = (pace: number): number | false =>
  chosen !== undefined && pace > paces.log ? chosen : live && pace === paces.list ? liveListMs : pace

/** Long enough to paint cached data first. */
const soon = 250

type State = { dataUpdatedAt: number; errorUpdatedAt: number; fetchStatus: string }

/**
 * When a query is refetched: counted from its last answer, not from the opening of its page. Otherwise a page opened again
 * would show old data as live for a whole interval.
 */
export const dueIn = ({ dataUpdatedAt, errorUpdatedAt, fetchStatus }: State, pace: number, now = Date.now()): number | false => {
  const paceMs = paceOf(pace)
  if (paceMs === false) return false
  const answered = Math.max(dataUpdatedAt, errorUpdatedAt)
  return answered === 0 || fetchStatus !== 'idle' ? paceMs : Math.min(paceMs, Math.max(soon, answered + paceMs - now))
}

/** The `refetchInterval` of a query at one of `paces`. */
export const every =
  (paceMs: number) =>
  ({ state }: { state: State }): number | false =>
    dueIn(state, paceMs)
