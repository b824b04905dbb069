import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../log'
import type { Embedded } from './embedded'

const LOOK_MS = 250
// Each minute.
const TRIM_LOOKS = 240
const FIRST_WAIT_MS = 250
const LONGEST_WAIT_MS = 10_000

export type WatchOptions = {
  log: Logger
  /** Opens it again, on the same port if that is free. */
  open: (port: number) => Promise<Embedded>
  /** Called when it runs at another address than before. */
  onMoved: (opened: Embedded) => void
}

/** Restarts the embedded PostgreSQL whenever it ends, with unlimited attempts. `stop` ends both. */
export const watchEmbedded = (first: Embedded, { log, open, onMoved }: WatchOptions) => {
  let current = first
  const stopping = new AbortController()
  const wait = (ms: number) => pause(ms, undefined, { signal: stopping.signal }).catch(() => {})

  const openAgain = async () => {
    for (let ms = FIRST_WAIT_MS; !stopping.signal.aborted; ms = Math.min(ms * 2, LONGEST_WAIT_MS)) {
      try {
        const opened = await open(current.port)
        log.warn({ pid: opened.pid }, 'PostgreSQL runs again')
        if (opened.url !== current.url) onMoved(opened)
        current = opened
        return
      } catch (error) {
        log.error({ err: error, wait_ms: ms }, 'PostgreSQL could not be started again')
        await wait(ms)
      }
    }
  }

  const watch = async () => {
    for (let n = 1; !stopping.signal.aborted; n++) {
      await wait(LOOK_MS)
      if (n % TRIM_LOOKS === 0)
        await current.trimLog().catch((error: unknown) => log.warn({ err: error }, 'postgres.log could not be cut'))
      if (stopping.signal.aborted || (await current.lives())) continue
      log.error({ pid: current.pid }, 'PostgreSQL ended; it is started again')
      await openAgain()
    }
  }
  const watching = watch()

  return {
    stop: async () => {
      stopping.abort()
      await watching
      await current.stop()
    },
  }
}
