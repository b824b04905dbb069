import type { DeviceActor } from '../../core/http/actors'
import { createCallerFacts } from '../../core/http/caller-facts'
import type { Tx } from '../../core/database/tx'
import { findLoggingDevice, type LoggingDevice } from './repository'

const facts = createCallerFacts<LoggingDevice>()

/** Keeps what was read with the token of a device. */
export const keepLogging = (actor: DeviceActor, { lifecycle, feed }: LoggingDevice): void =>
  facts.keep(actor, { lifecycle, feed })

/** What was read with the token; a later call reads it again. */
export const takeLogging = async (tx: Tx, actor: DeviceActor): Promise<LoggingDevice> =>
  facts.take(actor) ?? findLoggingDevice(tx, actor.id)
