import type { EnrollmentToken } from '../../../contract/fleet/enrollment-tokens'
import { entityToJson, formatTimestampOrNull } from '../../core/timestamps'
import type { EnrollmentTokenRow } from './repository'
import { stateOf } from './state'

export const enrollmentTokenToJson = (row: EnrollmentTokenRow, now: Date): EnrollmentToken => ({
  ...entityToJson(row),
  project_id: row.projectId,
  name: row.name,
  prefix: row.prefix,
  authority: row.authority,
  kind: row.kind,
  hardware_model: row.hardwareModel,
  default_tags: row.defaultTags,
  max_uses: row.maxUses,
  uses: row.uses,
  expires_at: formatTimestampOrNull(row.expiresAt),
  auto_accept: row.autoAccept,
  state: stateOf(row, now),
})
