import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { sideways, violations } from './check-page'
import { checkFaces } from './faces'

const wide = { width: 1280, height: 800 }
const narrow = { width: 390, height: 844 }
const narrowest = { width: 320, height: 640 }
const pictures = process.env['TEASEL_PICTURES']

/**
 * Checks in light by all rules, in dark by the contrast rule, each at both widths, or at one width each. With TEASEL_PICTURES (a
 * folder), saves each screenshot.
 */
export const checkInThemes = async (
  page: Page,
  settle: () => Promise<void>,
  picture: string,
  widths: 'both' | 'one each' = 'both',
): Promise<string[]> => {
  const found: string[] = []
  const at = async (name: string, colours: boolean) => {
    await settle()
    if (pictures !== undefined) await page.screenshot({ fullPage: true, path: join(pictures, `${picture} ${name}.png`) })
    const all = [...(await violations(page, colours)), ...(await sideways(page))]
    found.push(...all.map((one) => `${name}: ${one}`))
  }
  await at('light, 1280 px', false)
  await page.emulateMedia({ colorScheme: 'dark' })
  if (widths === 'both') await at('dark, 1280 px', true)
  await page.setViewportSize(narrow)
  await at('dark, 390 px', true)
  await page.emulateMedia({ colorScheme: 'light' })
  if (widths === 'both') {
    await at('light, 390 px', false)
    found.push(...(await checkFaces(page)))
    await page.setViewportSize(narrowest)
    found.push(...(await checkFaces(page)))
  }
  await page.setViewportSize(wide)
  return found
}
