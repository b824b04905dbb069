import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { listTagsByName, type TagRow } from './repository'

const unknownOf = (names: readonly string[], known: readonly TagRow[]) =>
  names.find((name) => !known.some((tag) => tag.name === name))

/** The first of these names that is no tag of the project. */
export const findUnknownTag = async (tx: Tx, projectId: string, names: readonly string[]): Promise<string | undefined> =>
  unknownOf(names, await listTagsByName(tx, projectId, names))

/** The tags with these names; 422 for the first name that is no tag of the project. */
export const requireKnownTags = async (
  tx: Tx,
  projectId: string,
  names: readonly string[],
  field: 'tags' | 'default_tags' | 'target.tags_none',
): Promise<TagRow[]> => {
  const wanted = [...new Set(names)]
  const known = await listTagsByName(tx, projectId, wanted)
  const unknown = unknownOf(wanted, known)
  if (unknown !== undefined) refuseField(field, 'unknown_tag', `The project has no tag ${unknown}`)
  return known
}
