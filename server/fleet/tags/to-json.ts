import type { Tag } from '../../../contract/fleet/tags'
import { entityToJson } from '../../core/timestamps'
import type { TagRow, TagUsage } from './repository'

export const tagToJson = (row: TagRow, usage: TagUsage | undefined): Tag => ({
  ...entityToJson(row),
  name: row.name,
  colour: row.colour,
  description: row.description,
  device_count: usage?.devices ?? 0,
  used_by_rollouts: usage?.rollouts ?? 0,
  used_by_enrollment_tokens: usage?.enrollmentTokens ?? 0,
})
