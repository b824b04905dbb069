import type { BrowserContext, Page } from 'playwright-core'
import { installClock } from './clock'
import { openWire, type Wire } from './wire'

/** Where a path is played: a fresh profile with one page, the wire between it and the hosts, and a clock that stands still. */
export type Stage = { context: BrowserContext; page: Page; wire: Wire }

export const openStage = async (context: BrowserContext, clock = { callsEnd: true }): Promise<Stage> => {
  await installClock(context, clock)
  const wire = await openWire(context)
  return { context, page: await context.newPage(), wire }
}
