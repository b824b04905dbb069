import { listLimit } from '../../contract/core/limits'

type Page<T> = { items: readonly T[]; next: string | null }

/** Reads pages of a list until its end or until `limit` items. */
export const readPages = async <T>(
  limit: number,
  read: (page: { limit: number; cursor?: string }) => Promise<Page<T>>,
): Promise<T[]> => {
  const found: T[] = []
  let cursor: string | undefined
  do {
    const size = Math.min(listLimit.max, limit - found.length)
    const { items, next } = await read({ limit: size, ...(cursor !== undefined && { cursor }) })
    found.push(...items)
    cursor = next ?? undefined
  } while (cursor !== undefined && found.length < limit)
  return found.slice(0, limit)
}
