import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { planLimits } from '../../../contract/accounts/plan-limits'
import { describePlanLimit } from '../../accounts/plan-limit'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import type { ProjectScope } from '../../core/http/scope'
import { refuse } from '../../core/http/refuse'
import { bytesAboveLimit } from '../../core/storage/free-space'
import { countReservedBytes, countUsedBytes } from './repository'

type Needs = Pick<Deps, 'config' | 'clock' | 'diskSpace' | 'storage'>

/**
 * 507 if the owner's plan, or the disk, has no space for the stored and announced bytes and this upload (F-19); 503 if the disk is not
 * mounted.
 */
export const checkSpace = async (tx: Tx, deps: Needs, project: ProjectScope, size: number): Promise<void> => {
  const limit = planLimits[project.plan].storage_bytes
  const used = await countUsedBytes(tx, project)
  if (used > limit)
    refuse(507, 'no_space', { message: describePlanLimit(project.plan, 'storage_bytes', used), about: { limit, used } })
  // The bytes go to no disk of this server.
  if (deps.storage.incoming) return
  if (!(await stat(dirname(deps.config.uploadsDirectory)).catch(() => undefined)))
    refuse(503, 'unavailable', { message: 'The storage cannot be read at this moment', retryAfterS: 30 })
  const reserved = await countReservedBytes(tx, deps.clock())
  const free = Math.max(0, (await bytesAboveLimit(deps, deps.config.uploadsDirectory)) - reserved)
  if (size > free) refuse(507, 'no_space', { message: 'The server has no space left for this file', about: { free, size } })
}
