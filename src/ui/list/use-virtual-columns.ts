import { type RefObject, useLayoutEffect } from 'react'
import { watchCutText } from '../text/cut-text'

// Not those with a box or a menu, whose target is larger than it looks.
const textCells = 'td:not([data-menu])'

/**
 * Gives the rows of a virtual table the widths of the head's cells, as `--columns`, and marks the cells that do not fit them: the
 * browser's own table would place every row again for each new one.
 */
export const useVirtualColumns = (body: RefObject<HTMLTableSectionElement | null>): void => {
  useLayoutEffect(() => {
    const rows = body.current
    const head = rows?.parentElement?.querySelector('thead > tr')
    if (!rows || !head) return
    const texts = watchCutText(rows, textCells)
    const measure = () => {
      const widths = [...head.children].map((cell) => cell.getBoundingClientRect().width).filter((width) => width > 0)
      rows.style.setProperty('--columns', widths.map((width) => `${width}px`).join(' '))
      texts.update()
    }
    const sizes = new ResizeObserver(measure)
    const observe = () => {
      sizes.disconnect()
      for (const cell of head.children) sizes.observe(cell)
      // Stacked rows do not have the head's widths.
      sizes.observe(rows)
      measure()
    }
    // Columns are shown, hidden and moved.
    const cells = new MutationObserver(observe)
    cells.observe(head, { childList: true })
    observe()
    return () => {
      cells.disconnect()
      sizes.disconnect()
      texts.stop()
    }
  }, [body])
}
