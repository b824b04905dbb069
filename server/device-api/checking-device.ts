import type { DeviceActor, FindActor } from '../core/http/actors'
import { createCallerFacts } from '../core/http/caller-facts'
import { toDeviceActor } from '../fleet/enrollment/authenticate'
import { findCheckingDevice } from './quiet-check-in.repository'

const facts = createCallerFacts<NonNullable<Awaited<ReturnType<typeof findCheckingDevice>>>>()

/** The device of a check-in: whether it has news is decided by what is read with its token. */
export const findCheckingActor: FindActor<DeviceActor> = async (tx, tokenHash, now) => {
  const found = await findCheckingDevice(tx, tokenHash)
  const actor = toDeviceActor(found, tokenHash, now)
  if (found && actor) facts.keep(actor, found)
  return actor
}

/** What was read with the token, once. */
export const takeChecking = facts.take
