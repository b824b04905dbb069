/** The items by their key, in the order of each key's first item; items without a key are left out. */
export const groupBy = <T, K extends string>(items: readonly T[], keyOf: (item: T) => K | null): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key === null) continue
    const group = groups.get(key)
    if (group) group.push(item)
    else groups.set(key, [item])
  }
  return groups
}
