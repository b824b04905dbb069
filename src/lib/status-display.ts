/** How a state is shown: shape first, then the word. Shapes are those of the theme. */
export type StatusDisplay = {
  shape:
    | 'online'
    | 'late'
    | 'offline'
    | 'never'
    | 'success'
    | 'error'
    | 'warning'
    | 'info'
    | 'running'
    | 'waiting'
    | 'back'
    | 'none'
    | 'paused'
    | 'draft'
  word: string
}

const readable = (state: string) => {
  const spaced = state.replace(/_/g, ' ')
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

/** Unknown words of a newer server are shown as they are (F-27). */
const lookup =
  (table: Readonly<Record<string, StatusDisplay>>) =>
  (state: string): StatusDisplay =>
    table[state] ?? { shape: 'none', word: readable(state) }

const look = (shape: StatusDisplay['shape'], word: string): StatusDisplay => ({ shape, word })

export const connectivityDisplay = lookup({
  online: look('online', 'Online'),
  late: look('late', 'Late'),
  offline: look('offline', 'Offline'),
  never_seen: look('never', 'Never seen'),
})

export const healthDisplay = lookup({
  healthy: look('success', 'Healthy'),
  warning: look('warning', 'Warning'),
  critical: look('error', 'Critical'),
  unknown: look('none', 'Unknown'),
})

export const lifecycleDisplay = lookup({
  pending: look('waiting', 'Pending'),
  rejected: look('none', 'Rejected'),
  active: look('success', 'Active'),
  disabled: look('paused', 'Disabled'),
  decommissioned: look('none', 'Decommissioned'),
})

/** Groups of update states in the list of devices. */
export const updateGroupDisplay = lookup({
  none: look('none', 'No update or cancelled'),
  waiting: look('waiting', 'Waiting'),
  in_progress: look('running', 'In progress'),
  succeeded: look('success', 'Succeeded'),
  failed: look('error', 'Failed or rolled back'),
})

/** One device in one rollout (contract/device/update-events). */
export const updateDisplay = lookup({
  queued: look('waiting', 'Queued'),
  held: look('paused', 'Held'),
  offered: look('running', 'Offered'),
  downloading: look('running', 'Downloading'),
  downloaded: look('running', 'Downloaded'),
  verifying: look('running', 'Verifying'),
  installing: look('running', 'Installing'),
  rebooting: look('running', 'Rebooting'),
  validating: look('running', 'Validating'),
  claimed: look('waiting', 'Claimed'),
  succeeded: look('success', 'Succeeded'),
  failed: look('error', 'Failed'),
  rolled_back: look('back', 'Rolled back'),
  skipped: look('none', 'Skipped'),
  deferred: look('paused', 'Deferred'),
  timed_out: look('error', 'Timed out'),
  cancelled: look('none', 'Cancelled'),
})

/** A command of a device (contract/fleet/device-commands). */
export const commandDisplay = lookup({
  queued: look('waiting', 'Queued'),
  delivered: look('running', 'Delivered'),
  done: look('success', 'Done'),
  failed: look('error', 'Failed'),
  expired: look('none', 'Expired'),
  cancelled: look('none', 'Cancelled'),
})

export const releaseDisplay = lookup({
  draft: look('draft', 'Draft'),
  uploading: look('running', 'Uploading'),
  verifying: look('running', 'Verifying'),
  rejected: look('error', 'Rejected'),
  awaiting_signature: look('waiting', 'Awaiting signature'),
  ready: look('success', 'Ready'),
  released: look('info', 'Released'),
  superseded: look('none', 'Superseded'),
  revoked: look('error', 'Revoked'),
  archived: look('none', 'Archived'),
})

export const assetDisplay = lookup({
  expected: look('waiting', 'Waiting for bytes'),
  uploading: look('running', 'Uploading'),
  verifying: look('running', 'Verifying'),
  ready: look('success', 'Ready'),
  rejected: look('error', 'Rejected'),
})

export const rolloutStateDisplay = lookup({
  draft: look('draft', 'Draft'),
  pending_approval: look('waiting', 'Waiting for approval'),
  denied: look('error', 'Denied'),
  scheduled: look('waiting', 'Scheduled'),
  running: look('running', 'Running'),
  waiting_for_user: look('paused', 'Waiting for you'),
  paused: look('paused', 'Paused'),
  halted: look('error', 'Halted'),
  rolling_back: look('back', 'Rolling back'),
  rolled_back: look('back', 'Rolled back'),
  cancelling: look('running', 'Cancelling'),
  cancelled: look('none', 'Cancelled'),
  expired: look('none', 'Expired'),
  completed: look('success', 'Completed'),
})

export const waveStateDisplay = lookup({
  waiting: look('waiting', 'Waiting'),
  filling: look('running', 'Filling'),
  soaking: look('running', 'Soaking'),
  passed: look('success', 'Passed'),
  failed: look('error', 'Failed'),
  retried: look('waiting', 'Retried'),
  waiting_for_user: look('paused', 'Waiting for you'),
  stopped: look('none', 'Stopped'),
})

export const keyDisplay = lookup({
  active: look('success', 'Active'),
  retiring: look('warning', 'Retiring'),
  retired: look('none', 'Retired'),
  revoked: look('error', 'Revoked'),
})

/** What a device reports about its secure boot. */
export const secureBootDisplay = lookup({
  unknown: look('none', 'Not reported'),
  open: look('warning', 'Open'),
  enforcing: look('success', 'Enforcing'),
  closed: look('success', 'Closed'),
})

export const inviteDisplay = lookup({
  pending: look('waiting', 'Pending'),
  accepted: look('success', 'Accepted'),
  declined: look('none', 'Declined'),
  expired: look('late', 'Expired'),
  revoked: look('none', 'Revoked'),
  bounced: look('error', 'Bounced'),
})

/** `no_space`, `download_progress` as words: "No space", "Download progress". */
export { readable }
