import type { PaletteGroup, PaletteItem } from '../../../ui/overlay/palette'
import { plain } from '../../../ui/form/matching'

/** An action, or a link: links can be opened in a new tab and are remembered. */
export type Item = PaletteItem & { words?: string; keep?: boolean } & ({ href: string } | { run: () => void })
export type Group = PaletteGroup<Item>

/** Items whose name contains every typed word; those that begin with it first. */
export const filterItems = (items: readonly Item[], typed: string): Item[] => {
  const words = plain(typed).split(/\s+/).filter(Boolean)
  const hits = items.filter(({ label, words: more = '' }) => words.every((word) => plain(`${label} ${more}`).includes(word)))
  const begins = ({ label }: Item) => Number(plain(label).startsWith(words[0] ?? ''))
  return hits.toSorted((a, b) => begins(b) - begins(a))
}
