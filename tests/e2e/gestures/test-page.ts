import type { BrowserContext, Page } from 'playwright-core'
import { installClock } from './clock'
import { openRequestScript, type RequestScript } from './request-script'

/** The environment of a path: a new profile with one page, its requests under control, and a stopped clock. */
export type TestPage = { context: BrowserContext; page: Page; wire: RequestScript }

export const openTestPage = async (context: BrowserContext, clock = { callsEnd: true }): Promise<TestPage> => {
  await installClock(context, clock)
  const wire = await openRequestScript(context)
  return { context, page: await context.newPage(), wire }
}
