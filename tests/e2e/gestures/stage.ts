import type { BrowserContext, Page } from 'playwright-core'
import { installClock } from './clock'
import { openRequestScript, type RequestScript } from './request-script'

/** The environment of a path: a new profile with one page, its requests under control, and a stopped clock. */
export type Stage = { context: BrowserContext; page: Page; wire: RequestScript }

export const openStage = async (context: BrowserContext, clock = { callsEnd: true }): Promise<Stage> => {
  await installClock(context, clock)
  const wire = await openRequestScript(context)
  return { context, page: await context.newPage(), wire }
}
