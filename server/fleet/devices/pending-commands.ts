import { and, asc, eq, inArray, lt } from 'drizzle-orm'
import type { Command, CommandBody } from '../../../contract/device/api'
import { deviceCommands } from '../schema/devices'
import type { Tx } from '../../core/database/tx'
import { notFound } from '../../core/http/refuse'
import { daysBefore } from '../../core/days'
import { sanitizeText } from '../logs/log-lines'

const mostAtOnce = 20

/** The waiting commands of a device, delivered once. A command that was not fetched for a day expires. */
export const deliverCommands = async (tx: Tx, deviceId: string, now: Date): Promise<Command[]> => {
  const queued = and(eq(deviceCommands.deviceId, deviceId), eq(deviceCommands.state, 'queued'))
  const waiting = await tx.select({ id: deviceCommands.id }).from(deviceCommands).where(queued).limit(1)
  if (waiting.length === 0) return []
  await tx
    .update(deviceCommands)
    .set({ state: 'expired', doneAt: now })
    .where(and(queued, lt(deviceCommands.createdAt, daysBefore(now, 1))))
  const rows = await tx.select().from(deviceCommands).where(queued).orderBy(asc(deviceCommands.id)).limit(mostAtOnce)
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    await tx.update(deviceCommands).set({ state: 'delivered', deliveredAt: now }).where(inArray(deviceCommands.id, ids))
  return rows.map(({ id, command, args }) => ({ id, command, args }))
}

/** Stores the result of a command of this device; a second result changes nothing. */
export const settleCommand = async (
  tx: Tx,
  deviceId: string,
  id: string,
  { state, output }: CommandBody,
  now: Date,
): Promise<void> => {
  const mine = and(eq(deviceCommands.id, id), eq(deviceCommands.deviceId, deviceId))
  const [command] = await tx.select().from(deviceCommands).where(mine).for('update')
  if (!command) return notFound()
  if (command.state === 'done' || command.state === 'failed' || command.state === state) return
  await tx
    .update(deviceCommands)
    .set({
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
    .where(mine)
}
