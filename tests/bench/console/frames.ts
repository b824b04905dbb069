import type { CDPSession, Page } from 'playwright-core'
import { measured, quantile } from '../server'

const scrollMs = 4000
/** The share is of two medians. */
const rounds = 5

/** What scrolls: the page, or an element. `step`: pixels of each frame, negative from the end. */
export type Scrolled = { selector: string; step: number }

type Seen = { frames: number; elements: number }

/** Frames while a page scrolls by a step in each of them. As text: a compiled function would call helpers that the page lacks. */
const scroll = (page: Page, { selector, step }: Scrolled) =>
  page.evaluate<Seen>(`new Promise((resolve) => {
    const scroller = document.querySelector(${JSON.stringify(selector)})
    scroller.scrollTo(0, ${step > 0 ? 0 : 'scroller.scrollHeight'})
    const end = performance.now() + ${scrollMs}
    const all = document.getElementsByTagName('*')
    let frames = 0
    let elements = 0
    const next = () => {
      if (performance.now() > end) return resolve({ frames, elements })
      scroller.scrollBy(0, ${step})
      frames += 1
      elements = Math.max(elements, all.length)
      requestAnimationFrame(next)
    }
    requestAnimationFrame(next)
  })`)

export const slowDown = (session: CDPSession, rate: number): Promise<unknown> =>
  session.send('Emulation.setCPUThrottlingRate', { rate })

/**
 * Scrolls a page and, in turns with it because other work on the machine changes, an empty page of the same browser; measures the
 * frames of both, and the most elements that the page had.
 */
export const compareFrames = async (name: string, page: Page, empty: Page, scrolled: Scrolled): Promise<void> => {
  const seen: Seen[] = []
  const none: Seen[] = []
  for (let round = 0; round < rounds; round++) {
    // Only the page in front draws frames.
    await empty.bringToFront()
    none.push(await scroll(empty, { selector: 'html', step: 100 }))
    await page.bringToFront()
    seen.push(await scroll(page, scrolled))
  }
  const frames = (of: Seen[]) =>
    quantile(
      of.map((one) => one.frames),
      0.5,
    )
  measured(`${name}: most elements on the page`, Math.max(...seen.map(({ elements }) => elements)), '')
  measured(`${name}: frames per second`, (frames(seen) / scrollMs) * 1000, '/s')
  measured(`${name}: frames per second of an empty page`, (frames(none) / scrollMs) * 1000, '/s')
  measured(`${name}: share of the frames of an empty page`, frames(seen) / frames(none), '')
}
