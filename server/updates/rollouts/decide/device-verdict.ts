import type { NoUpdateReason } from '../../../../contract/device/api'
import type { TrustedKey } from '../../../../contract/device/manifest'
import { publicKeyFromPem } from '../../../../contract/device/public-key'
import type { Refusal, Refused } from '../../../../contract/device/refusals'
import { type DeviceFacts, verify } from '../../../../contract/device/verify'
import type { DeviceRow } from '../../../fleet/devices/repository'
import type { Signed } from '../../releases/signing/envelope'

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why a device refuses the text of an envelope, by the devices' own code; null if it installs the release. */
export const refusalOf = async (
  envelope: string,
  trusted: readonly TrustedKey[],
  facts: DeviceFacts,
): Promise<Refused | null> => {
  const verdict = await verify(parsed(envelope), trusted, facts)
  return verdict.ok ? null : verdict
}

/** The facts that the device last reported, as its own check uses them. */
const factsOf = (device: DeviceRow, mayReturnTo: readonly number[] | null, now: Date): DeviceFacts => ({
  now: now.getTime(),
  projectId: device.projectId,
  hardwareModel: device.hardwareModel,
  installedVersion: device.installedVersion,
  mayReturnTo: mayReturnTo ?? [],
  rollbackVersion: device.rollbackVersion ?? 0,
})

// A DDI client verifies its bundle, not the manifest: of the manifest, any valid signature of the project is enough.
const trusts = ({ protocol, trustedKeys }: DeviceRow, fingerprint: string) =>
  protocol === 'ddi' || trustedKeys.includes(fingerprint)

type Asked = { device: DeviceRow; mayReturnTo: readonly number[] | null; publicKeyPems: Signed['publicKeyPems']; now: Date }

/**
 * The last check before every offer (T-17): nothing is offered that the device would refuse, whatever the stored columns and the
 * state of its update say. The keys are those of the valid signatures that the device reports to trust.
 */
export const deviceRefusal = async (envelope: string, { device, mayReturnTo, publicKeyPems, now }: Asked) => {
  const keys = await Promise.all(publicKeyPems.map(publicKeyFromPem))
  const trusted = keys.flatMap((key) => (key && trusts(device, key.fingerprint) ? [key] : []))
  return refusalOf(envelope, trusted, factsOf(device, mayReturnTo, now))
}

const reasons: Partial<Record<Refusal, NoUpdateReason>> = {
  key_unknown: 'key_not_trusted',
  key_revoked: 'key_not_trusted',
  not_newer: 'up_to_date',
}

/** The reason that a device gets instead of an offer that it would refuse (`X-Reason`). */
export const reasonOfRefusal = ({ reason }: Refused): NoUpdateReason => reasons[reason] ?? 'not_targeted'
