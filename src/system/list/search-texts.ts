type Kept<N extends string, V> = { [K in N]?: V }

const keep = (search: Record<string, unknown>, isKept: (name: string, value: unknown) => boolean) =>
  Object.fromEntries(Object.entries(search).filter(([name, value]) => isKept(name, value)))

const isText = (value: unknown) => typeof value === 'string'

/** These parameters of a query string, as text. The page validates them with its own struct, which loads with the page. */
export const searchTexts =
  <N extends string>(...names: N[]) =>
  (search: Record<string, unknown>) =>
    keep(search, (name, value) => isText(value) && names.some((one) => one === name)) as Kept<N, string>

/** All parameters that are texts or lists of texts, for a page with many of them, or with open names. */
export const searchLists =
  <N extends string>() =>
  (search: Record<string, unknown>) =>
    keep(search, (_, value) => [value].flat().every(isText)) as Kept<N, string | string[]>
