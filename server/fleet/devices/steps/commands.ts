import { nextId } from '../../../core/ids'
import type {
  cancelCommand,
  Command,
  deviceCommands,
  ListedCommand,
  sendCommand,
} from '../../../../contract/fleet/device-commands'
import type { BodyOf, QueryOf } from '../../../../contract/core/endpoint'
import type { ProjectSettings } from '../../../../contract/accounts/projects'
import type { Tx } from '../../../core/database/tx'
import { daysBefore } from '../../../core/days'
import type { Call } from '../../../core/http/call'
import { refuse } from '../../../core/http/refuse'
import { lifetimes } from '../../../core/lifetimes'
import { formatTimestamp, formatTimestampOrNull } from '../../../core/timestamps'
import { deviceTarget } from '../audit-target'
import { type CommandRow, getCommand, insertCommand, listCommands, lockCommand, updateCommand } from './commands.repository'
import { type DeviceRow, getDevice } from '../repository'

/** Clients spread their polls by this share, so that a fleet does not poll all at once (agent/agent.ts). */
const spread = 1.05

/** When the device should have checked in at the latest; a time in the past means that it is late. */
const expectedAt = ({ lastSeenAt, pollingIntervalS }: DeviceRow, { polling_interval_s }: ProjectSettings): Date | null => {
  if (lastSeenAt === null) return null
  const pollS = pollingIntervalS ?? polling_interval_s
  return new Date(lastSeenAt.getTime() + pollS * spread * 1000)
}

type Facts = Omit<CommandRow, 'output'> & { createdByName: string | null }
type Place = { device: DeviceRow; settings: ProjectSettings; now: Date }

/** The check-in that would fetch it marks it as expired; a device that does not check in leaves it queued. */
const stateOf = ({ state, createdAt }: Facts, now: Date): CommandRow['state'] =>
  state === 'queued' && createdAt < daysBefore(now, lifetimes.queuedCommandDays) ? 'expired' : state

const factsToJson = (row: Facts, { device, settings, now }: Place): Omit<Command, 'output'> => ({
  id: row.id,
  command: row.command,
  state: stateOf(row, now),
  created_at: formatTimestamp(row.createdAt),
  // An account without a full name has an empty one.
  created_by: row.createdByName || null,
  delivered_at: formatTimestampOrNull(row.deliveredAt),
  done_at: formatTimestampOrNull(row.doneAt),
  expected_at: formatTimestampOrNull(expectedAt(device, settings)),
})

type Order = BodyOf<typeof sendCommand> & { user: { id: string; name: string }; now: Date }

/** Queues a command for the next check-in of the device. */
export const queueCommand = async (
  tx: Tx,
  device: DeviceRow,
  settings: ProjectSettings,
  { command, args = {}, user, now }: Order,
): Promise<Command> => {
  const row = {
    id: nextId(now),
    projectId: device.projectId,
    deviceId: device.id,
    command,
    args,
    state: 'queued' as const,
    createdAt: now,
    createdBy: user.id,
    deliveredAt: null,
    doneAt: null,
    output: null,
  }
  await insertCommand(tx, row)
  return { ...factsToJson({ ...row, createdByName: user.name }, { device, settings, now }), output: row.output }
}

/** One page of the commands of a device. */
export const readCommands = async (tx: Tx, place: Place, query: QueryOf<typeof deviceCommands>) => {
  const { rows, next_cursor } = await listCommands(tx, place.device.id, query)
  const commands = rows.map((row): ListedCommand => ({ ...factsToJson(row, place), output_bytes: row.outputBytes }))
  return { commands, next_cursor, total: null }
}

export const readCommand = async (tx: Tx, place: Place, id: string): Promise<Command> => {
  const row = await getCommand(tx, { deviceId: place.device.id, id })
  return { ...factsToJson(row, place), output: row.output }
}

const endedText: Partial<Record<CommandRow['state'], string>> = {
  delivered: 'The device has fetched this command',
  expired: 'This command has expired',
}

/** Cancels a queued command; a cancelled one stays as it is. */
export const withdrawCommand = async (call: Call<typeof cancelCommand>) => {
  const { tx, project, params, now } = call
  const device = await getDevice(tx, params.deviceId)
  const place = { device, settings: project.settings, now }
  const row = await lockCommand(tx, { deviceId: device.id, id: params.commandId })
  const state = stateOf({ ...row, createdByName: null }, now)
  if (state === 'cancelled') call.skipAudit()
  else if (state === 'queued') {
    await updateCommand(tx, row, { state: 'cancelled', doneAt: now })
    call.audit({ target: deviceTarget(device), changes: [{ field: 'command', before: row.command, after: null }] })
  } else refuse(409, 'conflict', { message: endedText[state] ?? 'The device has run this command', about: { state } })
  return readCommand(tx, place, row.id)
}
