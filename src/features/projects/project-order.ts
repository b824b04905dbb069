import type { Project } from '../../../contract/accounts/projects'

/**
 * §2: sorted by created_at. Newest first, then by id within the same second; server times have offsets, so they are not sorted
 * as text.
 */
export const newestFirst = (projects: readonly Project[]): Project[] =>
  projects.toSorted((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at) || (a.id < b.id ? 1 : -1))

export const named = (typed: string) => {
  const wanted = typed.trim().toLowerCase()
  return ({ name }: Project) => name.toLowerCase().includes(wanted)
}
