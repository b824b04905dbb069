import type { Infer } from 'superstruct'
import { ulid } from 'ulid'
import type { Command, sendCommand } from '../../contract/device-commands'
import type { BodyOf } from '../../contract/endpoint'
import { deviceCommands } from '../database/schema/devices'
import type { Tx } from '../database/tx'
import { stamp, stampOrNull } from '../http/time'
import type { Row } from './wire'

const wire = (row: typeof deviceCommands.$inferSelect): Infer<typeof Command> => ({
  id: row.id,
  command: row.command,
  state: row.state,
  created_at: stamp(row.createdAt),
  delivered_at: stampOrNull(row.deliveredAt),
  done_at: stampOrNull(row.doneAt),
  output: row.output,
})

type Order = BodyOf<typeof sendCommand> & { createdBy: string; now: Date }

/** Waits for the next check-in of the device. */
export const queueCommand = async (tx: Tx, device: Row, { command, args = {}, createdBy, now }: Order) => {
  const row = {
    id: ulid(now.getTime()),
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
  await tx.insert(deviceCommands).values(row)
  return wire(row)
}
