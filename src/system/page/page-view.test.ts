import { describe, expect, it } from 'vitest'
import { createPageView } from './page-view'

/** Pages of ten rows; each is asked for by the number of its first row, as by a cursor. */
const listOf = (count: number) => ({
  pages: Array.from({ length: count }, (_, n) => ({ name: `page ${n}`, rows: 10 })),
  pageParams: Array.from({ length: count }, (_, n) => (n === 0 ? undefined : n * 10)),
})
const viewOf = () => createPageView<{ rows: number }>(({ rows }) => rows)

/** Which pages a refetch reads. */
const readBy = (view: ReturnType<typeof viewOf>, list: ReturnType<typeof listOf>) =>
  list.pageParams.flatMap((param, n) => (view.keep(list, param) ? [] : [n]))

describe('a refetch of a list', () => {
  it('reads all pages of a short list, wherever it was scrolled to', () => {
    const view = viewOf()
    view.show(0, 5)
    expect(readBy(view, listOf(4))).toEqual([0, 1, 2, 3])
  })

  it('reads all pages as long as no table said which rows are in view', () => {
    expect(readBy(viewOf(), listOf(6))).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('reads the first page and those in view of a long list', () => {
    const view = viewOf()
    view.show(38, 41)
    expect(readBy(view, listOf(8))).toEqual([0, 3, 4])
    view.show(40, 49)
    expect(readBy(view, listOf(8))).toEqual([0, 4])
  })

  it('reads a page that begins at another row than before', () => {
    const view = viewOf()
    view.show(0, 9)
    const list = listOf(8)
    expect(view.keep(list, 20)).toBe(list.pages[2])
    expect(view.keep(list, 21)).toBeUndefined()
  })

  it('leaves pages outdated until they come into view and are read', () => {
    const view = viewOf()
    const list = listOf(8)
    view.show(0, 9)
    expect(view.isOutdated(list)).toBe(false)
    readBy(view, list)
    expect(view.isOutdated(list)).toBe(false)
    view.show(65, 72)
    expect(view.isOutdated(list)).toBe(true)
    expect(readBy(view, list)).toEqual([0, 6, 7])
    expect(view.isOutdated(list)).toBe(false)
    view.show(20, 29)
    expect(view.isOutdated(list)).toBe(true)
  })
})
