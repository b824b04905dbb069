import { logLevels } from '../../../contract/device/config-fields'
import type { deviceSystemLogs } from '../../../contract/fleet/device-logs'
import type { QueryOf } from '../../../contract/core/endpoint'
import { parseLogUnits } from '../../../contract/fleet/log-units'
import type { Tx } from '../../core/database/tx'
import { refuseField } from '../../core/http/refuse'
import { findSequenceAt } from './positions.repository'
import type { LogFilter } from './repository'

type Asked = Pick<NonNullable<QueryOf<typeof deviceSystemLogs>>, 'q' | 'level_max' | 'unit' | 'boot_id' | 'from' | 'to'>
type Owner = { projectId: string; deviceId: string }

const toLevel = (name: string) => {
  const index = (logLevels as readonly string[]).indexOf(name)
  return index < 0 ? refuseField('level_max', 'not_listed', `Level must be one of ${logLevels.join(', ')}`) : index
}

/** No line: of a time that has not come. */
const beyond = Number.MAX_SAFE_INTEGER

/** The filter of a request, its times as sequence numbers. `known` are the units of the device. */
export const readLogFilter = async (tx: Tx, owner: Owner, asked: Asked, known: readonly string[]): Promise<LogFilter> => {
  const { q, level_max, unit, boot_id, from, to } = asked
  return {
    q,
    levelMax: level_max === undefined ? undefined : toLevel(level_max),
    units: unit === undefined ? undefined : parseLogUnits(unit, known),
    bootId: boot_id,
    fromSequence: from === undefined ? undefined : ((await findSequenceAt(tx, owner, from)) ?? beyond),
    untilSequence: to === undefined ? undefined : ((await findSequenceAt(tx, owner, to)) ?? beyond),
  }
}
