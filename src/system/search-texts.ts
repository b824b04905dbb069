/** Of a query string these names, as text. What they may say is for the page to judge, with a struct that comes with the page. */
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
