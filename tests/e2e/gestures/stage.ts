import type { BrowserContext, Page } from 'playwright-core'
import { installClock } from './clock'
import { openRequestScript, type RequestScript } from './request-script'

/** Where a path is played: a fresh profile with one page, the wire between it and the hosts, and a clock that stands still. */
export type Stage = { context: BrowserContext; page: Page; wire: RequestScript }

export const openStage = async (context: BrowserContext, clock = { callsEnd: true }): Promise<Stage> => {
  await installClock(context, clock)
  const wire = await openRequestScript(context)
  return { context, page: await context.newPage(), wire }
}
