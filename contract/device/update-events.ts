/** The state of one device in one rollout. */
export const updateStates = [
  'queued',
  'held',
  'offered',
  'downloading',
  'downloaded',
  'verifying',
  'installing',
  'rebooting',
  'validating',
  'claimed',
  'succeeded',
  'failed',
  'rolled_back',
  'skipped',
  'deferred',
  'timed_out',
  'cancelled',
] as const
export type UpdateState = (typeof updateStates)[number]

/** The states of a successful update in order; a report that would go backwards is stored and changes nothing. */
export const updatePath = [
  'queued',
  'offered',
  'downloading',
  'downloaded',
  'verifying',
  'installing',
  'rebooting',
  'validating',
  'claimed',
  'succeeded',
] as const satisfies readonly UpdateState[]

export const endStates = [
  'succeeded',
  'failed',
  'rolled_back',
  'skipped',
  'timed_out',
  'cancelled',
] as const satisfies readonly UpdateState[]
const openStates: readonly string[] = updatePath.slice(updatePath.indexOf('offered'), updatePath.indexOf('succeeded'))
/** From the offer to the end: the device is at work, or its client says that it is done. */
export const isUnderWay = (state: string): boolean => openStates.includes(state)

export const isEnded = (state: string): boolean => (endStates as readonly string[]).includes(state)

/** The state that a report means; null changes nothing: a rollback in progress ends with `rollback_completed`. */
export const stateOfEvent = {
  update_offered: 'offered',
  update_accepted: 'downloading',
  update_deferred: 'deferred',
  download_started: 'downloading',
  download_progress: 'downloading',
  download_resumed: 'downloading',
  download_completed: 'downloaded',
  verification_started: 'verifying',
  verification_passed: 'verifying',
  verification_failed: 'failed',
  pre_install_started: 'installing',
  pre_install_completed: 'installing',
  pre_install_failed: 'failed',
  install_started: 'installing',
  install_progress: 'installing',
  install_completed: 'installing',
  post_install_started: 'installing',
  post_install_completed: 'installing',
  post_install_failed: 'failed',
  reboot_requested: 'rebooting',
  booted: 'validating',
  validation_started: 'validating',
  validation_passed: 'validating',
  post_reboot_started: 'validating',
  post_reboot_completed: 'validating',
  post_reboot_failed: 'failed',
  update_claimed: 'claimed',
  update_confirmed: 'succeeded',
  rollback_started: null,
  rollback_completed: 'rolled_back',
  update_failed: 'failed',
  update_cancelled: 'cancelled',
  update_timed_out: 'timed_out',
} as const satisfies Record<string, UpdateState | null>

export type UpdateEventType = keyof typeof stateOfEvent
export const updateEventTypes = Object.keys(stateOfEvent) as UpdateEventType[]
/** Only the server creates these; reports of a device with them are refused. */
export const serverEventTypes = [
  'update_offered',
  'update_claimed',
  'update_timed_out',
] as const satisfies readonly UpdateEventType[]
export const deviceEventTypes = updateEventTypes.filter(
  (type) => !(serverEventTypes as readonly UpdateEventType[]).includes(type),
)

/** Why an update failed. */
export const failureCodes = [
  'network_error',
  'download_incomplete',
  'hash_mismatch',
  'signature_invalid',
  'key_unknown',
  'key_revoked',
  'manifest_expired',
  'version_not_newer',
  'hardware_mismatch',
  'no_space',
  'pre_install_failed',
  'install_failed',
  'post_install_failed',
  'post_reboot_failed',
  'boot_failed',
  'rollback_protection',
  'device_busy',
  'not_confirmed',
  'user_deferred',
  'low_power',
  'aborted',
  'internal',
] as const
export type FailureCode = (typeof failureCodes)[number]

const retryable: readonly FailureCode[] = [
  'network_error',
  'download_incomplete',
  'device_busy',
  'low_power',
  'no_space',
  'internal',
]
export const isRetryable = (code: FailureCode): boolean => retryable.includes(code)
/** `no_space` is retried only after a day. */
export const retryDelaySeconds = (code: FailureCode): number => (code === 'no_space' ? 86_400 : 0)

/**
 * The state after a report. An ended update stays unchanged, except for a failure that the device then rolls back, and one that
 * has timed out although its device was only silent; late, duplicate or unordered reports change nothing.
 */
export const stateAfter = (state: UpdateState, type: UpdateEventType): UpdateState => {
  const next: UpdateState | null = stateOfEvent[type]
  if (next === null) return state
  if (state === 'failed' && next === 'rolled_back') return next
  if (state === 'timed_out' && next === 'succeeded') return next
  if (isEnded(state)) return state
  const place = (of: UpdateState) => (updatePath as readonly UpdateState[]).indexOf(of)
  if (place(next) < 0 || place(state) < 0) return next
  return place(next) > place(state) ? next : state
}
