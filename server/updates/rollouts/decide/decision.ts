import type { NoUpdateReason } from '../../../../contract/device/api'
import { type CheckName, schedulingChecks, type Finding, eligibilityChecks } from './checks'
import type { OfferFacts, EligibilityFacts } from './decision-facts'

/** The result of one of the 18 checks, as the page "why is this device not updating" shows it. */
export type CheckResult = Omit<Finding, 'pass' | 'until' | 'isApplicable'> & {
  name: CheckName
  result: 'pass' | 'fail' | 'not_reached' | 'not_applicable'
  until: Date | null
}
export type Decision = { offer: boolean; checks: CheckResult[]; failed: CheckResult | null }

const unreached = { observed: '', required: '', until: null, text: '' }

const run = <F>(checks: Record<string, (facts: F) => Finding>, facts: F): CheckResult[] => {
  let stopped = false
  return Object.entries(checks).map(([key, check]) => {
    const name = key as CheckName // The keys of the tables of checks are exactly the members of CheckName.
    if (stopped) return { name, result: 'not_reached', ...unreached }
    const { pass, isApplicable = true, until = null, ...finding } = check(facts)
    stopped = !pass
    const result = isApplicable ? (pass ? 'pass' : 'fail') : 'not_applicable'
    // The text says why a check stops: beside one that passes it would say what is not so.
    return { name, result, until, ...finding, text: result === 'pass' ? '' : finding.text }
  })
}

const decided = (checks: CheckResult[]): Decision => {
  const failed = checks.find(({ result }) => result === 'fail') ?? null
  return { offer: failed === null, checks, failed }
}

/** Checks 1 to 12: whether a device is eligible for a rollout of this release. */
export const checkEligibility = (facts: EligibilityFacts): Decision => decided(run(eligibilityChecks, facts))

/** All 18 checks in order: whether the device is offered the release now. Stops at the first failure. */
export const checkOffer = (facts: OfferFacts): Decision => decided(run({ ...eligibilityChecks, ...schedulingChecks }, facts))

const reasons: Record<CheckName, NoUpdateReason> = {
  lifecycle_active: 'disabled',
  project_active: 'disabled',
  updates_enabled: 'disabled',
  not_quarantined: 'paused',
  rollout_matches: 'not_targeted',
  hardware_matches: 'not_targeted',
  not_already_installed: 'up_to_date',
  version_newer: 'up_to_date',
  min_version_met: 'not_targeted',
  rollback_number_ok: 'not_targeted',
  key_trusted: 'key_not_trusted',
  signature_valid_and_unexpired: 'not_targeted',
  rollout_running: 'paused',
  wave_open: 'waiting_for_wave',
  window_open: 'window_closed',
  retries_left_and_backoff_over: 'paused',
  slot_free: 'slot_busy',
  rate_ok: 'slot_busy',
}

/** The reason that a device gets instead of an offer (`X-Reason`). */
export const reasonOf = ({ name, observed }: CheckResult): NoUpdateReason => {
  if (name === 'lifecycle_active' && observed === 'pending') return 'pending_acceptance'
  if (name === 'updates_enabled' && observed === 'paused') return 'paused'
  return reasons[name]
}
