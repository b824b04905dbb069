/**
 * The original order of names, where an object would change it: for `?b=1&a=2&b=3` it groups the `b`s, for `?b=1&2=x` it puts
 * the number first.
 */
const written = Symbol('written')

type Search = Record<string, string | string[]>
const pairsOf = (search: Record<string, unknown>) =>
  Object.entries(search).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).filter((one) => one !== undefined && one !== null).map((one) => [name, String(one)]),
  )

/** The router's own parser rewrites values (`1e3` becomes `1000`); here text stays text, and a repeated name is a list. */
export const parseSearch = (search: string): Search => {
  const found: Search = {}
  const params = new URLSearchParams(search)
  const names = [...params.keys()]
  for (const name of new Set(names)) {
    const values = params.getAll(name)
    found[name] = values.length > 1 ? values : (values[0] ?? '')
  }
  const kept = pairsOf(found).every(([name], index) => name === names[index])
  return kept ? found : { ...found, [written]: names }
}

/** §2: existing parameters are written unchanged, with every name, value and repeat in order; new ones follow. */
export const stringifySearch = (search: Record<string, unknown>): string => {
  const left = pairsOf(search)
  const names: unknown = Reflect.get(search, written)
  const first = (Array.isArray(names) ? names : []).flatMap((name) => {
    const index = left.findIndex(([one]) => one === name)
    return index === -1 ? [] : left.splice(index, 1)
  })
  const params = new URLSearchParams([...first, ...left])
  return params.size > 0 ? `?${params}` : ''
}
