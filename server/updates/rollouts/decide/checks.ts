import { installsText, isInstallable } from '../../../../contract/device/installs'
import { deviceUpdateMoves } from '../../../../machines/device-update/device-update.machine'
import { releaseMoves } from '../../../../machines/release/release.machine'
import { rolloutMoves } from '../../../../machines/rollout/rollout.machine'
import type { EligibilityFacts, OfferFacts, RolloutFacts } from './decision-facts'
import { labelOf } from '../../releases/label'
import { windowAt } from './windows'

/** The result of one check. `until` says when it may change without anyone acting; one that does not apply passes. */
export type Finding = {
  pass: boolean
  isApplicable?: false
  observed: string
  required: string
  until?: Date | null
  text: string
}
type Check<F> = (facts: F) => Finding

const ahead = (moment: Date | null | undefined, now: Date): moment is Date => moment instanceof Date && moment > now
const list = (values: readonly string[]) => values.join(', ') || 'none'
const short = (fingerprints: readonly string[]) => list(fingerprints.map((fingerprint) => fingerprint.slice(0, 12)))
type Named = { version: number; displayVersion: string | null }
const label = (named: Named | null) => (named === null ? 'nothing' : labelOf(named))

const isAgentOfBundle = ({ protocol }: EligibilityFacts['device'], { type }: EligibilityFacts['release']) =>
  type === 'bundle' && protocol === 'teasel'

/** Why a device gets no update until a person changes that. */
export const unavailableTexts = {
  deleted: 'The device was deleted',
  moved: 'The device was moved to another project',
  pending: 'The device has not been accepted yet',
  rejected: 'The device was rejected',
  disabled: 'The device is disabled',
  decommissioned: 'The device is decommissioned',
  switchedOff: 'Updates of this device are switched off',
} as const

const lifecycleText = ({ deleted, lifecycle }: EligibilityFacts['device']) => {
  if (deleted) return unavailableTexts.deleted
  return lifecycle === 'active' ? 'The device is active' : unavailableTexts[lifecycle]
}

type Installed = NonNullable<EligibilityFacts['device']['installed']>
/** Why a device would refuse an older release: its installed manifest does not list it, has no list, or is not known here. */
export type DowngradeRefusal = 'not_listed' | 'signed_before' | 'unknown_release'

/**
 * Applies the device's own rule (contract/device/verify.ts) to the stored facts; null if the device would accept the downgrade.
 */
export const downgradeRefusal = (
  { releaseId, version: installed, mayReturnTo }: Omit<Installed, 'displayVersion'>,
  { version: wanted, allowDowngradeFrom }: Pick<EligibilityFacts['release'], 'version' | 'allowDowngradeFrom'>,
): DowngradeRefusal | null => {
  if (mayReturnTo?.includes(wanted) || allowDowngradeFrom.includes(installed)) return null
  if (releaseId === null) return 'unknown_release'
  return mayReturnTo === null ? 'signed_before' : 'not_listed'
}

const rolloutForbids = 'This rollout does not allow a downgrade'
const downgradeTexts: Record<DowngradeRefusal, (installed: Named | null, wanted: Named) => string> = {
  not_listed: (installed, wanted) => `${label(installed)} does not list ${label(wanted)} as a version to return to`,
  signed_before: (installed) => `${label(installed)} was signed before releases listed what they may return to`,
  unknown_release: (installed) => `${label(installed)} is not a release of this project`,
}

/** A DDI client verifies its bundle by keys of its own, and knows no manifest. */
const checkedByClient: Finding = {
  pass: true,
  isApplicable: false,
  observed: 'verified by its client',
  required: '',
  text: 'The client of the device verifies its bundle itself, with keys that are not known here',
}

const unsignedText = ({ state }: EligibilityFacts['release']) =>
  state === 'revoked' || state === 'archived' ? `The release is ${state}` : 'The release has no valid signature'

/** Checks 1 to 12: which devices are eligible for a rollout. */
export const eligibilityChecks = {
  lifecycle_active: ({ device }) => ({
    pass: device.lifecycle === 'active' && !device.deleted,
    observed: device.deleted ? 'deleted' : device.lifecycle,
    required: 'active',
    text: lifecycleText(device),
  }),
  project_active: ({ project }) => ({
    pass: project.active,
    observed: project.active ? 'active' : 'ended',
    required: 'active',
    text: 'The project must be active',
  }),
  updates_enabled: ({ device, now }) => {
    const paused = ahead(device.pausedUntil, now)
    return {
      pass: device.updatesEnabled && !paused,
      observed: !device.updatesEnabled ? 'disabled' : paused ? 'paused' : 'enabled',
      required: 'enabled',
      until: device.updatesEnabled && paused ? device.pausedUntil : null,
      text: device.updatesEnabled ? 'Updates of this device are paused' : unavailableTexts.switchedOff,
    }
  },
  not_quarantined: ({ device: { quarantine }, release, now }) => {
    // A quarantine concerns one release: a newer one ends it.
    const concerned = quarantine !== null && (quarantine.releaseId === null || quarantine.releaseId === release.id)
    const held = concerned && ahead(quarantine.until, now)
    return {
      pass: !held,
      observed: held ? 'in quarantine' : 'free',
      required: 'free',
      until: held ? quarantine.until : null,
      text: 'This release failed on the device too often and is not offered for a while',
    }
  },
  rollout_matches: ({ rollout }) => ({
    pass: rollout.includesDevice,
    observed: rollout.includesDevice ? 'targeted' : 'not targeted',
    required: 'targeted',
    text: 'No open rollout targets this device',
  }),
  hardware_matches: ({ device, release }) => {
    const isForModel = release.hardwareModels.includes(device.hardwareModel)
    const { board } = device
    if (isForModel && board !== null && !board.fitting.includes(board.reported))
      return {
        pass: false,
        observed: `board ${board.reported}`,
        required: list(board.fitting),
        text: `The device reports the board ${board.reported}, which its hardware model ${device.hardwareModel} does not list`,
      }
    const { installs } = device
    if (isForModel && installs !== null && !isInstallable(release.type, installs))
      return {
        pass: false,
        observed: `installs ${installs}`,
        required: release.type === 'rootfs' ? 'installs images' : 'installs files',
        text: `The release is of type ${release.type}, and the device ${installsText(installs)}`,
      }
    return {
      pass: isForModel && !isAgentOfBundle(device, release),
      observed: device.hardwareModel,
      required: list(release.hardwareModels),
      text: isAgentOfBundle(device, release)
        ? 'The release is a bundle, and the device runs the Teasel agent'
        : 'The release is for other hardware',
    }
  },
  not_already_installed: ({ device: { installed }, release }) => ({
    pass: installed === null || (installed.releaseId !== release.id && installed.version !== release.version),
    observed: label(installed),
    required: `not ${label(release)}`,
    text: `The device runs this release, ${label(release)}`,
  }),
  version_newer: ({ device: { installed }, release, rollout }) => {
    const newer = installed === null || release.version > installed.version
    // The device follows only the signed lists; the rollout's own permission is required in addition.
    const refusal = newer ? null : downgradeRefusal(installed, release)
    const allowed = refusal === null && rollout.allowsDowngrade
    return {
      pass: newer || allowed,
      observed: label(installed),
      required: `below ${label(release)}`,
      text: `The device runs a newer version. ${refusal === null ? rolloutForbids : downgradeTexts[refusal](installed, release)}`,
    }
  },
  min_version_met: ({ device: { installed }, release: { minInstalledVersion } }) => ({
    pass: minInstalledVersion === null || (installed?.version ?? 0) >= minInstalledVersion,
    observed: installed === null ? 'nothing' : `version number ${installed.version}`,
    required: minInstalledVersion === null ? 'any' : `version number ${minInstalledVersion} or higher`,
    text: 'The release requires a newer installed version',
  }),
  rollback_number_ok: ({ device, release }) => {
    if (device.protocol === 'ddi') return checkedByClient
    return {
      pass: (release.rollbackVersion ?? 0) >= (device.rollbackVersion ?? 0),
      observed: String(device.rollbackVersion ?? 0),
      required: `at most ${release.rollbackVersion ?? 0}`,
      text: 'The device has a higher rollback number in hardware',
    }
  },
  key_trusted: ({ device, release }) => {
    if (device.protocol === 'ddi') return checkedByClient
    return {
      pass: release.signedBy.some((fingerprint) => device.trustedKeys.includes(fingerprint)),
      observed: short(device.trustedKeys),
      required: short(release.signedBy),
      text: 'The device trusts none of the keys that signed the release',
    }
  },
  signature_valid_and_unexpired: ({ release, now }) => {
    const [damaged] = release.unavailableFiles
    if (damaged !== undefined)
      return {
        pass: false,
        observed: 'damaged',
        required: 'as it was signed',
        text: `${damaged} is damaged in the storage`,
      }
    const signed = releaseMoves.hasTag(release.state, 'deployable') && release.signedBy.length > 0
    return {
      pass: signed && ahead(release.expiresAt, now),
      observed: signed ? `expires ${release.expiresAt?.toISOString().slice(0, 10) ?? 'never'}` : release.state,
      required: 'signed and not expired',
      text: signed ? 'The manifest has expired' : unsignedText(release),
    }
  },
} satisfies Record<string, Check<EligibilityFacts>>

/** Why a rollout that is not running offers nothing. */
export const notOfferingText = ({ phase, stateReason }: Pick<RolloutFacts, 'phase' | 'stateReason'>): string =>
  stateReason ?? `The rollout is ${phase.replaceAll('_', ' ')}`

/** The same away from the rollout, which is named: one that has ended may be long past. */
const namedText = ({ name, phase, stateReason }: Pick<RolloutFacts, 'name' | 'phase' | 'stateReason'>): string => {
  const state = `The rollout ${name} is ${phase.replaceAll('_', ' ')}`
  if (stateReason === null) return state
  return rolloutMoves.hasTag(phase, 'ended') ? `${state}: ${stateReason}` : stateReason
}

/** Checks 13 to 18: when an eligible device gets the offer. */
export const schedulingChecks = {
  rollout_running: ({ rollout: { name, phase, stateReason, startAt } }) => ({
    pass: rolloutMoves.hasTag(phase, 'offering'),
    observed: rolloutMoves.hasTag(phase, 'offering') ? 'running' : phase,
    required: 'running',
    until: phase === 'scheduled' ? startAt : null,
    text: namedText({ name, phase, stateReason }),
  }),
  wave_open: ({ rollout: { currentWave }, update }) => ({
    pass: update.wave <= currentWave,
    observed: `wave ${currentWave} is open`,
    required: `wave ${update.wave}`,
    text: `The device is in wave ${update.wave}`,
  }),
  window_open: ({ rollout: { window }, device, now }) => {
    const status = window ? windowAt(window, device.timezone, now) : { open: true, until: null }
    return {
      pass: status.open,
      observed: status.open ? 'open' : 'closed',
      required: window ? `${window.from} to ${window.to}` : 'any time',
      until: status.open ? null : status.until,
      text: 'The maintenance window is closed',
    }
  },
  retries_left_and_backoff_over: ({ rollout, update, now }) => {
    const waits = ahead(update.notBefore, now)
    const most = rollout.retries === null ? null : rollout.retries + 1
    const left = (most === null || update.attempt <= most) && deviceUpdateMoves.canMove(update.state, 'update.offered')
    return {
      pass: left && !waits,
      observed: left ? `attempt ${update.attempt}` : update.state,
      required: most === null ? 'any attempt' : `at most ${most} attempts`,
      until: left && waits ? update.notBefore : null,
      text: left ? 'The device waits before it tries again' : 'The update of this device has ended',
    }
  },
  slot_free: ({ rollout: { activeUpdates, maxConcurrent } }) => ({
    pass: activeUpdates < maxConcurrent,
    observed: `${activeUpdates} running`,
    required: `below ${maxConcurrent}`,
    text: 'The maximum number of devices is updating',
  }),
  rate_ok: ({ rollout: { ratePerMinute, startedLastMinute }, now }) => ({
    pass: ratePerMinute === null || startedLastMinute < ratePerMinute,
    observed: `${startedLastMinute} in the last minute`,
    required: ratePerMinute === null ? 'any' : `below ${ratePerMinute}`,
    until: ratePerMinute !== null && startedLastMinute >= ratePerMinute ? new Date(now.getTime() + 60_000) : null,
    text: 'The maximum number of devices has started within the last minute',
  }),
} satisfies Record<string, Check<OfferFacts>>

export type CheckName = keyof typeof eligibilityChecks | keyof typeof schedulingChecks
