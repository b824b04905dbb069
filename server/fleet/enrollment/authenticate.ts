import type { Device } from '../../../contract/fleet/devices'
import type { DeviceActor, EnrollmentActor, FindActor } from '../../core/http/actors'
import type { Tx } from '../../core/database/tx'
import { type DeviceWithFacts, withFacts } from '../../core/http/caller-facts'
import { refuse } from '../../core/http/refuse'
import type { LoggingDevice } from '../logs/repository'
import type { MeasuredDevice } from '../telemetry/metrics.repository'
import { findDeviceToken, findEnrollmentToken, findLoggingDeviceToken, findMeasuringDeviceToken } from './token-lookup.repository'
import { stateOf } from './state'

/** 403 tells a decommissioned client to stop for good. */
export const requireLifecycle = (lifecycle: Device['lifecycle']): void => {
  if (lifecycle === 'decommissioned') refuse(403, 'decommissioned', { message: 'This device was decommissioned' })
  // Not final: a person may accept it later, so its client continues to ask.
  if (lifecycle === 'rejected') refuse(403, 'rejected', { message: 'This device was rejected' })
}

type FoundDevice = NonNullable<Awaited<ReturnType<typeof findMeasuringDeviceToken>>>
type Caller = Omit<FoundDevice, 'tokenHash' | 'healthStatus' | 'healthReasons' | 'latest'>

/** The caller by the row of its token; null if the token is not valid. Throws the reason that its client has to get. */
const toDeviceActor = (found: Caller | undefined, tokenHash: string, now: Date): DeviceActor | null => {
  if (!found || found.deletedAt !== null) return null
  const { token, settings, auditChainId, name, lifecycle, protocol } = found
  if (token.expiresAt !== null && token.expiresAt <= now) return null
  requireLifecycle(lifecycle)
  // Two clients of one device would both install. Not final: a person may change the client back.
  if (protocol === 'ddi')
    refuse(403, 'other_client', {
      message: 'This device runs a hawkBit client: a person can change that on its page in the console',
    })
  const isTokenNew = token.usedAt === null
  return { kind: 'device', id: token.deviceId, projectId: token.projectId, settings, auditChainId, name, tokenHash, isTokenNew }
}

/** A device by its token, looked up at each request (T-18). */
export const findDeviceActor: FindActor<DeviceActor> = async (tx, tokenHash, now) =>
  toDeviceActor(await findDeviceToken(tx, tokenHash), tokenHash, now)

/** The same with facts of the row, which `find` reads by the token. */
export const createDeviceFinder =
  <Row extends Caller, F>(
    find: (tx: Tx, tokenHash: string) => Promise<Row | undefined>,
    toFacts: (row: Row) => F,
  ): FindActor<DeviceWithFacts<F>> =>
  async (tx, tokenHash, now) => {
    const row = await find(tx, tokenHash)
    const device = toDeviceActor(row, tokenHash, now)
    return row && device ? withFacts(device, toFacts(row)) : null
  }

/** The device of a batch of metrics. */
export const findMeasuringActor = createDeviceFinder(
  findMeasuringDeviceToken,
  ({ token, lifecycle, healthStatus, healthReasons, latest }): MeasuredDevice => ({
    id: token.deviceId,
    projectId: token.projectId,
    lifecycle,
    healthStatus,
    healthReasons,
    latest,
  }),
)

/** The device of a batch of log lines. */
export const findLoggingActor = createDeviceFinder(findLoggingDeviceToken, ({ lifecycle, feed }): LoggingDevice => ({
  lifecycle,
  feed,
}))

/** A known enrollment token; the answer says that it has expired, but not who else may use it. */
export const findEnrollmentActor: FindActor<EnrollmentActor> = async (tx, tokenHash, now) => {
  const found = await findEnrollmentToken(tx, tokenHash)
  if (!found) return null
  const { token, settings, auditChainId } = found
  const state = stateOf(token, now)
  if (state === 'revoked' || state === 'expired')
    return refuse(403, 'token_expired', { message: `This enrollment token is ${state}` })
  return { kind: 'enrollment', id: token.id, projectId: token.projectId, settings, auditChainId, name: token.name }
}
