import { enums, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { boundedRecord } from '../core/bounded'
import { endpoint, requires, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { Id, Timestamp } from '../core/shapes'

export const commands = ['check_now', 'reboot', 'send_logs', 'collect_diagnostics'] as const
export type CommandName = (typeof commands)[number]

/** `expired`: the device has not fetched it for a day. `cancelled`: withdrawn before the device fetched it. */
export const commandStates = ['queued', 'delivered', 'done', 'failed', 'expired', 'cancelled'] as const

const facts = {
  id: Id,
  command: string(),
  /** One of `commandStates`; a newer server may have more. */
  state: string(),
  created_at: Timestamp,
  /** The name of the person who sent it; null if the account no longer exists. */
  created_by: nullable(string()),
  delivered_at: nullable(Timestamp),
  done_at: nullable(Timestamp),
  /** When the device should have fetched it: its next check-in, with the spread of its polls. Null: it has never checked in. */
  expected_at: nullable(Timestamp),
}
export const Command = type({ ...facts, output: nullable(string()) })
export type Command = Infer<typeof Command>
/** In a list, without its output. */
export const ListedCommand = type({ ...facts, output_bytes: integer() })
export type ListedCommand = Infer<typeof ListedCommand>

const read = requires(onObject('device', 'deviceId'), 'device:view')
const send = requires(onObject('device', 'deviceId'), 'device:remote_command')

export const sendCommand = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/commands',
  summary: 'Queue a command for the next check-in of a device.',
  needs: send,
  audit: 'device.command',
  rate: 'write',
  body: object({ command: enums(commands), args: optional(boundedRecord(string(), string(), 20)) }),
  answer: Command,
  status: 202,
})
export const deviceCommands = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/commands',
  summary: 'List the commands of a device of the last 90 days, newest first.',
  needs: read,
  audit: 'none',
  rate: 'read',
  query: object({ limit: listQuery.limit, cursor: listQuery.cursor }),
  answer: listOf('commands', ListedCommand),
})
export const deviceCommand = endpoint({
  method: 'GET',
  path: '/devices/:deviceId/commands/:commandId',
  summary: 'Get a command with its output.',
  needs: read,
  audit: 'none',
  rate: 'read',
  answer: Command,
})
export const cancelCommand = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/commands/:commandId/cancel',
  summary: 'Cancel a command that the device has not fetched.',
  needs: send,
  audit: 'device.command_cancel',
  rate: 'write',
  answer: Command,
})
