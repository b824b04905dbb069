/** These parameters of a query string, as text. The page validates them with its own struct, which loads with the page. */
export const searchTexts =
  <N extends string>(...names: N[]) =>
  (search: Record<string, unknown>): { [K in N]?: string } => {
    const kept: { [K in N]?: string } = {}
    for (const name of names) {
      const value = search[name]
      if (typeof value === 'string') kept[name] = value
    }
    return kept
  }
