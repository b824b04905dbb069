import { logLevels } from '../../../contract/device/config-fields'
import { deviceSystemLogs } from '../../../contract/device-logs'
import { listLimit } from '../../../contract/limits'
import type { Tx } from '../../core/database/tx'
import type { Api } from '../../core/http/api'
import { refuseField } from '../../core/http/refuse'
import { routeWithLag } from '../../core/http/route'
import { getDevice } from '../devices/repository'
import { listBoots } from '../telemetry/boots.repository'
import { findLogFeed, listLogLines } from './repository'
import { logLineToJson } from './to-json'

const levelOf = (name: string) => {
  const index = (logLevels as readonly string[]).indexOf(name)
  return index < 0 ? refuseField('level_max', 'not_listed', `Level must be one of ${logLevels.join(', ')}`) : index
}

/** The facts about a device's log that do not depend on the page. */
const readFeed = async (tx: Tx, deviceId: string) => {
  const feed = await findLogFeed(tx, deviceId)
  const boots = await listBoots(tx, deviceId)
  return {
    dropped: feed?.dropped ?? 0,
    units: feed?.units.toSorted() ?? [],
    boots: boots.map(({ bootId, firstTsMs }) => ({ boot_id: bootId, first_ts_ms: firstTsMs })),
  }
}

export const logRoutes = (api: Api): void => {
  // Lines in the order of their sequence. Without a bound the newest ones; `next_cursor` is the sequence to continue from: into
  // the past as `before_sequence`, or forward as `after_sequence` where that was asked.
  routeWithLag(api, deviceSystemLogs, async ({ tx, params, query }) => {
    const { limit = listLimit.default, q, level_max, unit, boot_id, after_sequence, before_sequence } = query
    const { id: deviceId, projectId } = await getDevice(tx, params.deviceId)
    const filter = {
      q,
      levelMax: level_max === undefined ? undefined : levelOf(level_max),
      unit,
      bootId: boot_id,
      afterSequence: after_sequence,
      beforeSequence: before_sequence,
    }
    const rows = await listLogLines(tx, { projectId, deviceId }, filter, limit + 1)
    const page = rows.slice(0, limit)
    const edge = page.at(-1)?.sequence
    return {
      lines: (after_sequence === undefined ? page.toReversed() : page).map(logLineToJson),
      next_cursor: rows.length > limit && edge !== undefined ? String(edge) : null,
      ...(await readFeed(tx, deviceId)),
    }
  })
}
