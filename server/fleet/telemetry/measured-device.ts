import type { DeviceActor } from '../../core/http/actors'
import { createCallerFacts } from '../../core/http/caller-facts'
import type { Tx } from '../../core/database/tx'
import { findMeasuredDevice, type MeasuredDevice } from './metrics.repository'

type Found = Pick<MeasuredDevice, 'lifecycle' | 'healthStatus' | 'healthReasons' | 'latest'>

const facts = createCallerFacts<MeasuredDevice>()

/** Keeps what was read with the token of a device. */
export const keepMeasured = (actor: DeviceActor, { lifecycle, healthStatus, healthReasons, latest }: Found): void => {
  const { id, projectId } = actor
  facts.keep(actor, { id, projectId, lifecycle, healthStatus, healthReasons, latest })
}

/** What was read with the token; a later call reads it again. */
export const takeMeasured = async (tx: Tx, actor: DeviceActor): Promise<MeasuredDevice> =>
  facts.take(actor) ?? findMeasuredDevice(tx, actor.id)
