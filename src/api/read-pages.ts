import { listLimit } from '../../contract/core/limits'

type Asked = { limit: number; cursor?: string }

/** All rows of a list, page after page: for lists that are shown whole. */
export const readPages = async <Page extends { next_cursor: string | null }, Row>(
  read: (query: Asked) => Promise<Page>,
  rowsOf: (page: Page) => readonly Row[],
): Promise<Row[]> => {
  const rows: Row[] = []
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await read({ limit: listLimit.max, ...(cursor !== undefined && { cursor }) })
    rows.push(...rowsOf(page))
    cursor = page.next_cursor
  }
  return rows
}
