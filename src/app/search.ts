/** The router's own parser rewrites values (`1e3` becomes `1000`); here text stays text, and a repeated name is a list. */
export const parseSearch = (search: string): Record<string, string | string[]> => {
  const found: Record<string, string | string[]> = {}
  const params = new URLSearchParams(search)
  for (const name of new Set(params.keys())) {
    const values = params.getAll(name)
    found[name] = values.length > 1 ? values : (values[0] ?? '')
  }
  return found
}

export const stringifySearch = (search: Record<string, unknown>): string => {
  const params = new URLSearchParams()
  for (const [name, value] of Object.entries(search))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) params.append(name, String(one))
  return params.size > 0 ? `?${params}` : ''
}
