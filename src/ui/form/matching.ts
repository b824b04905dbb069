import type { Option } from './option'

/** Removes accents and case for comparison. */
export const plain = (text: string) =>
  text
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .toLowerCase()

/** The options whose label contains the typed text; those that begin with it first. */
export const matching = <V extends string>(options: readonly Option<V>[], typed: string): Option<V>[] => {
  const wanted = plain(typed.trim())
  if (wanted === '') return [...options]
  const hits = options.filter((option) => plain(option.label).includes(wanted))
  return hits.toSorted((a, b) => Number(plain(b.label).startsWith(wanted)) - Number(plain(a.label).startsWith(wanted)))
}
