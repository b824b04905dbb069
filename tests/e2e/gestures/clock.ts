import type { BrowserContext, Page } from 'playwright-core'

// Playwright's own clock stops everything or nothing: also frames and the short timers of React, of the query cache and of menus.
// This one lets them run and holds only timers of a second and more, until the path moves the time.
const install = (callsEnd: boolean) => {
  const long = 1000
  let now = 0
  let last = 1_000_000_000
  const waiting = new Map<number, { at: number; every: number | undefined; run: () => void }>()
  const begin = window.setTimeout.bind(window)
  const end = window.clearTimeout.bind(window)
  const repeat = window.setInterval.bind(window)
  const stop = window.clearInterval.bind(window)
  const keep = (run: () => void, ms: number, every?: number) => {
    last += 1
    waiting.set(last, { at: now + ms, every, run })
    return last
  }
  const turn = () => new Promise((resolve) => begin(resolve, 0))
  const forward = async (ms: number) => {
    const until = now + ms
    for (;;) {
      const [next] = [...waiting].filter(([, { at }]) => at <= until).toSorted(([, a], [, b]) => a.at - b.at)
      if (!next) break
      const [id, { at, every, run }] = next
      now = Math.max(now, at)
      if (every === undefined) waiting.delete(id)
      else waiting.set(id, { at: at + every, every, run })
      run()
      await turn()
    }
    now = until
  }
  const runs = (handler: unknown, rest: unknown[]) => () => (handler as (...given: unknown[]) => void)(...rest)
  const real = Date.now
  Object.assign(window, {
    moveTime: forward,
    setTimeout: (handler: TimerHandler, ms = 0, ...rest: unknown[]) =>
      ms < long ? begin(handler, ms, ...rest) : keep(runs(handler, rest), ms),
    clearTimeout: (id?: number) => (id !== undefined && waiting.delete(id) ? undefined : end(id)),
    setInterval: (handler: TimerHandler, ms = 0, ...rest: unknown[]) =>
      ms < long ? repeat(handler, ms, ...rest) : keep(runs(handler, rest), ms, ms),
    clearInterval: (id?: number) => (id !== undefined && waiting.delete(id) ? undefined : stop(id)),
  })
  Object.assign(Date, { now: () => real() + now })
  Object.assign(AbortSignal, {
    timeout: (ms: number) => {
      const over = new AbortController()
      if (callsEnd) keep(() => over.abort(new DOMException('signal timed out', 'TimeoutError')), ms)
      return over.signal
    },
  })
}

/** Call before the first page of the profile is opened. `callsEnd: false`: moved time does not end held calls. */
export const installClock = (context: BrowserContext, { callsEnd }: { callsEnd: boolean }) =>
  context.addInitScript(install, callsEnd)

/** Moves the page's time: all timers due until then run, in order. */
export const moveTime = (page: Page, ms: number): Promise<void> => page.evaluate((by) => Reflect.get(window, 'moveTime')(by), ms)
