import type { Infer } from 'superstruct'
import { nextId } from '../../core/ids'
import type { Command, sendCommand } from '../../../contract/device-commands'
import type { BodyOf } from '../../../contract/endpoint'
import type { ProjectSettings } from '../../../contract/projects'
import type { Tx } from '../../core/database/tx'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import { type CommandRow, insertCommand } from './commands.repository'
import type { DeviceRow } from './repository'

/** Clients spread their polls by this share, so that a fleet does not poll all at once (agent/agent.ts). */
const spread = 1.05

/** When the device should have checked in at the latest; a time in the past means that it is late. */
const expectedAt = ({ lastSeenAt, pollingIntervalS }: DeviceRow, { polling_interval_s }: ProjectSettings): Date | null => {
  if (lastSeenAt === null) return null
  const pollS = pollingIntervalS ?? polling_interval_s
  return new Date(lastSeenAt.getTime() + pollS * spread * 1000)
}

const commandToJson = (row: CommandRow, expected: Date | null): Infer<typeof Command> => ({
  id: row.id,
  command: row.command,
  state: row.state,
  created_at: formatTimestamp(row.createdAt),
  delivered_at: formatTimestampOrNull(row.deliveredAt),
  done_at: formatTimestampOrNull(row.doneAt),
  output: row.output,
  expected_at: formatTimestampOrNull(expected),
})

type Order = BodyOf<typeof sendCommand> & { createdBy: string; now: Date }

/** Queues a command for the next check-in of the device. */
export const queueCommand = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  { command, args = {}, createdBy, now }: Order,
) => {
  const row = {
    id: nextId(now),
    projectId: device.projectId,
    deviceId: device.id,
    command,
    args,
    state: 'queued' as const,
    createdAt: now,
    createdBy,
    deliveredAt: null,
    doneAt: null,
    output: null,
  }
  await insertCommand(tx, row)
  return commandToJson(row, expectedAt(device, settings))
}
