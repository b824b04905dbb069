import { lifetimes } from '../../../core/lifetimes'
import type { Command, CommandBody } from '../../../../contract/device/api'
import type { Tx } from '../../../core/database/tx'
import { daysBefore } from '../../../core/days'
import { sanitizeText } from '../../../core/plain-text'
import {
  type CommandRow,
  expireCommands,
  hasQueuedCommands,
  listQueuedCommands,
  lockCommand,
  markCommandsDelivered,
  updateCommand,
} from './commands.repository'

const mostAtOnce = 20
const ended: ReadonlySet<CommandRow['state']> = new Set(['done', 'failed', 'cancelled'])

/** The waiting commands of a device, delivered once. A command that was not fetched for a day expires. */
export const deliverCommands = async (tx: Tx, deviceId: string, now: Date): Promise<Command[]> => {
  if (!(await hasQueuedCommands(tx, deviceId))) return []
  await expireCommands(tx, deviceId, daysBefore(now, lifetimes.queuedCommandDays), now)
  const rows = await listQueuedCommands(tx, deviceId, mostAtOnce)
  const delivered = await markCommandsDelivered(
    tx,
    rows.map(({ id }) => id),
    now,
  )
  return rows.flatMap(({ id, command, args }) => (delivered.has(id) ? [{ id, command, args }] : []))
}

/** Stores the result of a command of this device; a second result, or one of a cancelled command, changes nothing. */
export const settleCommand = async (
  tx: Tx,
  deviceId: string,
  id: string,
  { state, output }: CommandBody,
  now: Date,
): Promise<void> => {
  const command = await lockCommand(tx, { deviceId, id })
  if (ended.has(command.state) || command.state === state) return
  await updateCommand(tx, command, {
    state,
    deliveredAt: command.deliveredAt ?? now,
    ...(state !== 'delivered' && { doneAt: now }),
    ...(output !== undefined && {
      output: output
        .split('\n')
        .map((line) => sanitizeText(line, 65_536))
        .join('\n'),
    }),
  })
}
