import { enums, nullable, object, optional, record, string, type } from 'superstruct'
import { endpoint, requires, onObject } from './endpoint'
import { Id, Timestamp } from './shapes'

export const commands = ['check_now', 'reboot', 'send_logs', 'collect_diagnostics'] as const
export const Command = type({
  id: Id,
  command: string(),
  state: string(),
  created_at: Timestamp,
  delivered_at: nullable(Timestamp),
  done_at: nullable(Timestamp),
  output: nullable(string()),
  /** When the device should have fetched it: its next check-in, with the spread of its polls. Null: it has never checked in. */
  expected_at: nullable(Timestamp),
})
export const sendCommand = endpoint({
  method: 'POST',
  path: '/devices/:deviceId/commands',
  summary: 'Queue a command for the next check-in of a device.',
  needs: requires(onObject('device', 'deviceId'), 'device:remote_command'),
  audit: 'device.command',
  rate: 'write',
  body: object({ command: enums(commands), args: optional(record(string(), string())) }),
  answer: Command,
  status: 202,
})
