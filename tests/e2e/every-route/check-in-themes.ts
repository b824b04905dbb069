import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { isFull } from '../../support/counts'
import { type AxeRules, sideways, violations } from './check-page'
import { checkFaces } from './faces'

const wide = { width: 1280, height: 800 }
const narrow = { width: 390, height: 844 }
const narrowest = { width: 320, height: 640 }
const pictures = process.env['TEASEL_PICTURES']

/**
 * Checks in light by all rules and in dark by the contrast rule, each at both widths, or at one width each. `npm test` checks the
 * contrast of each theme at one width. With TEASEL_PICTURES (a folder), saves each screenshot.
 */
export const checkInThemes = async (
  page: Page,
  settle: () => Promise<void>,
  picture: string,
  widths: 'both' | 'one each' = 'both',
): Promise<string[]> => {
  const isWhole = isFull || pictures !== undefined
  const found: string[] = []
  const at = async (name: string, rules: AxeRules) => {
    await settle()
    if (pictures !== undefined) await page.screenshot({ fullPage: true, path: join(pictures, `${picture} ${name}.png`) })
    const all = [...(await violations(page, rules)), ...(await sideways(page))]
    found.push(...all.map((one) => `${name}: ${one}`))
  }
  await at('light, 1280 px', 'all')
  await page.emulateMedia({ colorScheme: 'dark' })
  if (widths === 'both' && isWhole) await at('dark, 1280 px', 'contrast')
  await page.setViewportSize(narrow)
  await at('dark, 390 px', 'contrast')
  await page.emulateMedia({ colorScheme: 'light' })
  if (widths === 'both') {
    await at('light, 390 px', isWhole ? 'all' : 'all but contrast')
    found.push(...(await checkFaces(page)))
    await page.setViewportSize(narrowest)
    found.push(...(await checkFaces(page)))
  }
  await page.setViewportSize(wide)
  return found
}
