type Pages<Page> = { pages: readonly Page[]; pageParams: readonly unknown[] }

/** A refetch reads lists of so many pages whole. */
const whole = 4

/**
 * Which pages of a long list are in view, and which of the others have missed a refetch: a list that was scrolled through 3,000 rows
 * would otherwise be read with 60 requests each time.
 */
export const createPageView = <Page>(countRows: (page: Page) => number) => {
  let rows: { first: number; last: number } | undefined
  const missed = new Set<unknown>()

  const isInView = ({ pages }: Pages<Page>, index: number) => {
    if (!rows) return true
    const start = pages.slice(0, index).reduce((sum, page) => sum + countRows(page), 0)
    const page = pages[index]
    return page !== undefined && start <= rows.last && start + countRows(page) > rows.first
  }

  return {
    show(first: number, last: number): void {
      rows = { first, last }
    },

    /** The page as it is kept, if it need not be read now. The first page is always read: it has the counts of the list. */
    keep(list: Pages<Page> | undefined, param: unknown): Page | undefined {
      const index = list?.pageParams.indexOf(param) ?? -1
      if (!list || index < 1 || list.pages.length <= whole || isInView(list, index)) {
        missed.delete(param)
        return undefined
      }
      missed.add(param)
      return list.pages[index]
    },

    /** Whether a page in view missed the last refetch. */
    isOutdated: (list: Pages<Page>): boolean =>
      missed.size > 0 && list.pageParams.some((param, index) => missed.has(param) && isInView(list, index)),
  }
}
