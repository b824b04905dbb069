import type { Deps } from '../../core/deps'
import { updateLastSeen } from './repository'

const FLUSH_MS = 3000
const AT_ONCE = 1000
/** A row that was locked at each flush of this time, or deleted, gets no time from here any more. */
const GIVE_UP_MS = 60_000

type Needs = Pick<Deps, 'db' | 'clock' | 'log'>

/**
 * The last contacts of devices that had nothing else to report: in memory for at most a few seconds, then written together. A
 * process that is killed loses only these times. None of them changes a connectivity: a device that is not online in the
 * database is written at once.
 */
export const createContacts = ({ db, clock, log }: Needs) => {
  let waiting = new Map<string, Date>()
  let timer: NodeJS.Timeout | undefined
  let flushing: Promise<void> = Promise.resolve()

  const note = (deviceId: string, at: Date): void => {
    const known = waiting.get(deviceId)
    if (!known || known < at) waiting.set(deviceId, at)
    timer ??= setTimeout(() => void flush(), FLUSH_MS).unref()
  }

  const write = async (contacts: readonly [string, Date][]) => {
    const written = new Set(await updateLastSeen(db, contacts))
    const oldest = clock().getTime() - GIVE_UP_MS
    for (const [id, at] of contacts) if (!written.has(id) && at.getTime() > oldest) note(id, at)
  }

  const flushNow = async () => {
    clearTimeout(timer)
    timer = undefined
    const contacts = [...waiting]
    waiting = new Map()
    for (let from = 0; from < contacts.length; from += AT_ONCE) {
      const slice = contacts.slice(from, from + AT_ONCE)
      try {
        await write(slice)
      } catch (error) {
        log.warn({ err: error, devices: slice.length }, 'the last contacts of devices were not written; they are tried again')
        for (const [id, at] of slice) note(id, at)
      }
    }
  }

  const flush = (): Promise<void> => {
    flushing = flushing.then(flushNow)
    return flushing
  }

  return {
    /** Notes a contact for the next flush. */
    note,
    /** Writes what is waiting now. */
    flush,
    /** Writes what is waiting, at the end of the process. */
    close: async () => {
      await flush()
      clearTimeout(timer)
    },
  }
}
