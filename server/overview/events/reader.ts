import type { Deps } from '../../core/deps'
import { type EventRow, findEvents, listEvents } from '../../core/events/repository'
import { idOfTime, timeOfId } from '../../core/ids'

// The id of an event is of the begin of its transaction: others with greater ids may have been read before it was committed.
const OVERLAP_MS = 60_000
const PAGE = 1000
const MAX_PAGES = 5

type Options = { deps: Pick<Deps, 'db' | 'clock'>; projectId: string; lastId: string | undefined }

const windowOf = (id: string) => idOfTime(new Date(Math.max(0, timeOfId(id).getTime() - OVERLAP_MS)))

/** Reads the events of a project after one of them, or from now on, each once. */
export const createReader = async ({ deps: { db, clock }, projectId, lastId }: Options) => {
  let from = lastId === undefined ? windowOf(idOfTime(clock())) : windowOf(lastId)
  let known = new Set<string>()

  /** Null if they are too many. */
  const readWindow = async (): Promise<EventRow[] | null> => {
    const rows: EventRow[] = []
    let after = from
    for (let page = 0; page < MAX_PAGES; page++) {
      const some = await listEvents(db, projectId, after, PAGE)
      rows.push(...some)
      if (some.length < PAGE) return rows
      after = some.at(-1)?.id ?? after
    }
    return null
  }
  const startHere = () => {
    from = idOfTime(clock())
    known = new Set()
  }
  if (lastId === undefined) {
    const rows = await readWindow()
    if (rows) known = new Set(rows.map(({ id }) => id))
    else startHere()
  } else known.add(lastId)

  return {
    /** The new events, oldest first; `named` may be older than the last one. Null if they are too many: it continues after them. */
    next: async (named: readonly string[]): Promise<EventRow[] | null> => {
      const rows = await readWindow()
      if (!rows) {
        startHere()
        return null
      }
      const ids = new Set(rows.map(({ id }) => id))
      const older = named.filter((id) => !ids.has(id) && !known.has(id))
      const late = older.length > 0 ? await findEvents(db, older) : []
      const news = [...late, ...rows.filter(({ id }) => !known.has(id))]
      known = ids
      const last = rows.at(-1)
      if (last && windowOf(last.id) > from) from = windowOf(last.id)
      return news
    },
  }
}
