import { lt } from 'drizzle-orm'
import { notificationQueue } from '../database/schema/notification-queue'
import type { Tx } from '../database/tx'
import { idOfTime } from '../ids'

/** People are told of the row with this id by a job: whoever causes it cannot measure whether anybody is told. */
export const queueNotification = async (tx: Tx, id: string): Promise<void> => {
  await tx.insert(notificationQueue).values({ eventId: id }).onConflictDoNothing()
}

/** Of rows that were deleted before anybody was told. */
export const deleteQueuedBefore = async (tx: Tx, time: Date): Promise<void> => {
  await tx.delete(notificationQueue).where(lt(notificationQueue.eventId, idOfTime(time)))
}
