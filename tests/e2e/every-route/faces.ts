import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { untilPlaced } from './check-page'

const read = (name: string) =>
  readFileSync(createRequire(import.meta.url).resolve(`@fontsource/${name}/files/${name}-latin-400-normal.woff2`), 'base64')

/** The layout must hold with each of them, and with that of the machine. */
const faces = { wide: read('dejavu-sans'), narrow: read('archivo-narrow') }

/** Loads the typefaces once for each document. */
const load = async (page: Page) => {
  if (await page.evaluate(() => [...document.fonts].some(({ family }) => family === 'teasel-wide'))) return
  await page.evaluate(async (files) => {
    for (const [name, text] of Object.entries(files)) {
      const bytes = Uint8Array.from(atob(text), (one) => one.codePointAt(0) ?? 0)
      document.fonts.add(await new FontFace(`teasel-${name}`, bytes.buffer).load())
    }
  }, faces)
}

/** With which typefaces the page scrolls sideways, cuts a control or has a box that no key scrolls, at the width that it has. */
export const checkFaces = async (page: Page): Promise<string[]> => {
  await load(page)
  return page.evaluate(
    async ([names, limit]) => {
      const describe = (one: Element) => `${one.outerHTML.slice(0, 160)} ${one.textContent?.slice(0, 80)}`
      /** Each box in which the control is: one that hides what is outside of it cuts it, one that scrolls shows it. */
      const isCut = (control: Element): boolean => {
        const { left, right, width } = control.getBoundingClientRect()
        let cut = false
        for (let box = control.parentElement; box !== null; box = box.parentElement) {
          const { overflowX, textOverflow } = getComputedStyle(box)
          if (/auto|scroll/.test(overflowX)) return cut
          // A link in a line of text ends with it.
          if (textOverflow === 'ellipsis' && /^inline(-block)?$/.test(getComputedStyle(control).display)) return false
          if (!/hidden|clip/.test(overflowX)) continue
          const at = box.getBoundingClientRect()
          // What is only for screen readers is in a box of a pixel.
          if (at.width <= 1 || width <= 1) return false
          cut ||= at.left > left + 1 || at.right < right - 1
        }
        return cut
      }
      const look = () => {
        const { scrollWidth } = document.scrollingElement ?? document.body
        const widest = () =>
          [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > innerWidth)
        const sideways =
          scrollWidth > innerWidth ? [`scrolls to ${scrollWidth} px: ${widest().slice(-2).map(describe).join()}`] : []
        const reached = 'button, a[href], input, select, textarea, [tabindex="0"]'
        // The tolerance of axe, which knows only the typeface of the machine.
        const unreachable = [...document.querySelectorAll('main *')].filter(
          (one) =>
            one.scrollWidth > one.clientWidth + 13 &&
            /auto|scroll/.test(getComputedStyle(one).overflowX) &&
            !one.matches(reached) &&
            !one.querySelector(reached),
        )
        const controls = [...document.querySelectorAll('button, a[href], input, select, textarea, [role=tab]')]
        return [
          ...sideways,
          ...unreachable.map((one) => `cannot scroll by keyboard: ${describe(one)}`),
          ...controls.filter((one) => one.checkVisibility() && isCut(one)).map((one) => `cuts ${describe(one)}`),
        ]
      }
      // What is drawn for a new width comes in the next frame; a page that draws nothing may get none.
      await new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve))
        setTimeout(resolve, 200)
      })
      const found: string[] = []
      const sheet = new CSSStyleSheet()
      document.adoptedStyleSheets.push(sheet)
      for (const name of [undefined, ...names]) {
        sheet.replaceSync(name === undefined ? '' : `*, ::before, ::after { font-family: teasel-${name} !important }`)
        // An overlay is placed in the first frame after a change, which may be late.
        const end = performance.now() + limit
        let seen = look()
        while (seen.length > 0 && performance.now() < end) {
          await new Promise((resolve) => setTimeout(resolve, 100))
          seen = look()
        }
        found.push(...seen.map((one) => `${innerWidth} px, ${name ?? 'default'} typeface: ${one}`))
      }
      document.adoptedStyleSheets.pop()
      return found
    },
    [Object.keys(faces), untilPlaced] as const,
  )
}
