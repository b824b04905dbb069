import type { rebootRules } from '../device/manifest-fields'
import { isUnderWay, type UpdateState, updatePath } from '../device/update-events'
import { type ClientKind, kindsConfirmedByClient, type ModelClient } from './model-client'
import { product } from '../core/limits'

// A DDI client reports success before its device restarts, after it fell back, or for an update that it never installed. Such a
// report is a claim; only what the device says about itself afterwards confirms an update.

/** The reported version against the release of the update. */
export type VersionEvidence = 'target' | 'other' | 'none'
/** The reported boot id against that of the offer; `never`: there was none at the offer. */
export type BootEvidence = 'new' | 'same' | 'never'

type Target = { version: number; displayVersion: string | null }

export const compareVersion = (reported: string | null, { version, displayVersion }: Target): VersionEvidence =>
  reported === null || reported === '' ? 'none' : reported === displayVersion || reported === `${version}` ? 'target' : 'other'

/** Without a boot id in the report, the device may still be in the boot of the offer. */
export const compareBoot = (offered: string | null, reported: string | null): BootEvidence =>
  offered === null ? 'never' : reported === null || reported === offered ? 'same' : 'new'

const past: readonly UpdateState[] = updatePath.slice(updatePath.indexOf('rebooting'), updatePath.indexOf('succeeded'))

/** Installed as far as the client says: the device has restarted, will restart, or has reported success. */
export const awaitsConfirmation = (state: UpdateState): boolean => past.includes(state)

export type Evidence = { state: UpdateState; version: VersionEvidence; boot: BootEvidence; reboot: (typeof rebootRules)[number] }

/** What a report of the device about itself shows about its open update. */
export const judgeEvidence = ({ state, version, boot, reboot }: Evidence): 'succeeded' | 'rolled_back' | 'wait' => {
  if (!isUnderWay(state) || version === 'none') return 'wait'
  if (version === 'other') return boot === 'new' && awaitsConfirmation(state) ? 'rolled_back' : 'wait'
  if (boot === 'new') return 'succeeded'
  // The report of an unchanged boot may be older than the installation, unless the release needs no restart.
  const isComparable = boot === 'never' || reboot === 'never'
  return isComparable && awaitsConfirmation(state) ? 'succeeded' : 'wait'
}

/** What a device last said about its version, or what confirmed its update; `at` in ISO 8601. */
export type UpdateEvidence = {
  /** The reported version, our agent's own check, or the client's word alone. */
  by: 'version' | 'agent' | 'client'
  version: string | null
  matches: VersionEvidence
  boot: BootEvidence
  at: string
}

/** How an update ends that was not confirmed in time; `reported`: the last version since the claim or the restart. */
export const endUnconfirmed = (reported: VersionEvidence) =>
  reported === 'other'
    ? ({ state: 'rolled_back', code: 'boot_failed' } as const)
    : ({ state: 'timed_out', code: 'not_confirmed' } as const)

type Claim = { from: UpdateState; client: Pick<ModelClient, 'kind' | 'confirm_by'>; bytesServed: number | null; size: number }

/** Whether a claim is enough: the model asks for no more, the device went to restart, and it has fetched every byte. */
export const isConfirmedByClient = ({ from, client, bytesServed, size }: Claim): boolean =>
  client.confirm_by === 'client' &&
  kindsConfirmedByClient.includes(client.kind) &&
  (from === 'rebooting' || from === 'validating') &&
  bytesServed !== null &&
  size > 0 &&
  bytesServed >= size

export const protocols = [product.slug, 'ddi'] as const
export type Protocol = (typeof protocols)[number]
/** Who verifies what a device installs. */
export const verifiers = ['manifest', 'swupdate_cms', 'rauc_cms', 'mcuboot', 'unknown'] as const
type Verifier = (typeof verifiers)[number]

const verifierOfKind: Record<ClientKind, Verifier> = {
  [product.slug]: 'unknown',
  swupdate: 'swupdate_cms',
  rauc: 'rauc_cms',
  zephyr: 'mcuboot',
  other: 'unknown',
}

export const verifierOf = (protocol: Protocol, kind: ClientKind): Verifier =>
  protocol === product.slug ? 'manifest' : verifierOfKind[kind]
