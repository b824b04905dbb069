import { and, eq, inArray } from 'drizzle-orm'
import { deviceTags } from '../schema/devices'
import { tags } from '../schema/tags'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'

/** Sets the tags of a device to exactly these tags of its project; 422 for one that the project does not have. */
export const setTags = async (tx: Tx, projectId: string, deviceId: string, names: readonly string[]): Promise<void> => {
  const wanted = [...new Set(names)]
  const known =
    wanted.length === 0
      ? []
      : await tx
          .select()
          .from(tags)
          .where(and(eq(tags.projectId, projectId), inArray(tags.name, wanted)))
  const unknown = wanted.find((name) => !known.some((tag) => tag.name === name))
  if (unknown !== undefined) refuseField('tags', 'unknown_tag', `The project has no tag ${unknown}`)
  await tx.delete(deviceTags).where(eq(deviceTags.deviceId, deviceId))
  if (known.length > 0) await tx.insert(deviceTags).values(known.map(({ id }) => ({ projectId, deviceId, tagId: id })))
}
