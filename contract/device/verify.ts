import type { Manifest, Opened, TrustedKey } from './manifest'
import { openEnvelope } from './manifest'
import { type Refused, refuse } from './refusals'

/** The device's own facts. `projectId` null: not known yet, so the first signed manifest decides. */
export type DeviceFacts = {
  now: number
  projectId: string | null
  hardwareModel: string
  /** Null if no release was ever installed. */
  installedVersion: number | null
  /** Older versions that the manifest of the installed release lists in `may_return_to`. */
  mayReturnTo: readonly number[]
  /** The anti-rollback number burned on the device, 0 if none. */
  rollbackVersion: number
}

const versionRefusal = (manifest: Manifest, { installedVersion: installed, mayReturnTo }: DeviceFacts) => {
  if (manifest.min_installed_version !== null && (installed ?? 0) < manifest.min_installed_version) return refuse('below_minimum')
  if (installed === null || manifest.version > installed) return null
  const mayGoBack = mayReturnTo.includes(manifest.version) || manifest.allow_downgrade_from.includes(installed)
  return mayGoBack ? null : refuse('not_newer')
}

/** The rules in their order: expiry, project and model, version, rollback number. Pure. */
export const checkApplicability = (manifest: Manifest, facts: DeviceFacts): Refused | null => {
  if (!(facts.now < Date.parse(manifest.expires_at))) return refuse('expired')
  if (facts.projectId !== null && manifest.project_id !== facts.projectId) return refuse('wrong_project')
  if (!manifest.hardware_models.includes(facts.hardwareModel)) return refuse('wrong_model')
  const version = versionRefusal(manifest, facts)
  if (version) return version
  return (manifest.rollback_version ?? 0) < facts.rollbackVersion ? refuse('rollback_number') : null
}

/** The complete check of an envelope by one device: signatures, content, and applicability. */
export const verify = async (
  envelope: unknown,
  keys: readonly TrustedKey[],
  facts: DeviceFacts,
): Promise<Opened | (Refused & { manifest?: Manifest })> => {
  const opened = await openEnvelope(envelope, keys)
  if (!opened.ok) return opened
  const refused = checkApplicability(opened.manifest, facts)
  return refused ? { ...refused, manifest: opened.manifest } : opened
}
