/** How far behind a page may be, by how fast its matter moves (docs/decisions/0011). In milliseconds. */
export const paces = { log: 2000, event: 5000, fleet: 10_000, list: 30_000 } as const

/** Long enough for what is cached to be painted first. */
const soon = 250

type State = { dataUpdatedAt: number; errorUpdatedAt: number; fetchStatus: string }

/**
 * When a query is asked again: counted from its last answer, not from the moment its page was opened. Else a page that one returns to
 * shows what it was minutes ago, as live, for a whole pace more. Use: `refetchInterval: ({ state }) => dueIn(state, paces.fleet)`.
 */
export const dueIn = ({ dataUpdatedAt, errorUpdatedAt, fetchStatus }: State, paceMs: number, now = Date.now()): number => {
  const answered = Math.max(dataUpdatedAt, errorUpdatedAt)
  return answered === 0 || fetchStatus !== 'idle' ? paceMs : Math.min(paceMs, Math.max(soon, answered + paceMs - now))
}
