import { array, create, is, optional, string, type, boolean, type Infer } from 'superstruct'
import { storageKeys } from '../../../lib/storage-keys'

const Recent = type({ href: string(), label: string(), mono: optional(boolean()) })
export type Recent = Infer<typeof Recent>
const Kept = type({ user: string(), places: array(Recent) })

const most = 6

/** This user's last targets in the palette, newest first. Those of another user are ignored; a sign-out removes them. */
export const readRecent = (user: string): Recent[] => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKeys.recent) ?? 'null')
    return is(kept, Kept) && kept.user === user ? create(kept, Kept).places : []
  } catch {
    return []
  }
}

export const storeRecent = (user: string, place: Recent): void => {
  const places = [place, ...readRecent(user).filter(({ href }) => href !== place.href)].slice(0, most)
  try {
    localStorage.setItem(storageKeys.recent, JSON.stringify({ user, places }))
  } catch {
    // Storage is full or blocked: nothing is remembered.
  }
}
