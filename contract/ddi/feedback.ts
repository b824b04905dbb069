import type { FailureCode, UpdateEventType, UpdateState } from '../device/update-events'
import type { executions, finishes } from './api'

/** The clients whose texts are known. */
export type ReportingClient = 'swupdate' | 'rauc' | 'other'

export type Report = {
  execution: (typeof executions)[number]
  finished: (typeof finishes)[number]
  /** In percent, where the client counts. */
  progress: number | null
  details: readonly string[]
}

/** What a report means for the update: one of our events, without its id and order. */
export type Meaning = {
  type: UpdateEventType
  reason_code?: FailureCode
  progress_percent?: number
}

const clients: readonly (readonly [RegExp, ReportingClient])[] = [
  [/^(?:libcurl-agent|swupdate)/i, 'swupdate'],
  [/^rauc-hawkbit/i, 'rauc'],
]

/** The client by the User-Agent of its request; Zephyr sends none. */
export const clientOfAgent = (agent: string | undefined): ReportingClient =>
  clients.find(([form]) => form.test(agent ?? ''))?.[1] ?? 'other'

const codes: readonly (readonly [RegExp, FailureCode])[] = [
  [/signature|certificate|\bcms\b|pkcs7/i, 'signature_invalid'],
  [/checksum|\bhash|\bsha-?\d|digest|\bcrc\b/i, 'hash_mismatch'],
  [/no space|not enough (?:free )?space|free space|ENOSPC|disk full/i, 'no_space'],
  [/download failed/i, 'network_error'],
]

/** Why an update failed, by the client's text. */
export const failureCodeOf = (details: readonly string[]): FailureCode =>
  codes.find(([form]) => details.some((line) => form.test(line)))?.[1] ?? 'install_failed'

const percent = (text: string | undefined): { progress_percent?: number } => {
  const value = Number(text)
  return text === undefined || !(value >= 0 && value <= 100) ? {} : { progress_percent: value }
}

const meaningOfSwupdate = (line: string): Meaning | null => {
  const downloaded = /Downloaded (\d{1,3})\s*%/.exec(line)
  if (downloaded) return { type: 'download_progress', ...percent(downloaded[1]) }
  if (line === 'All Chunks Installed.') return { type: 'reboot_requested' }
  return line.startsWith('Installed Chunk') ? { type: 'install_progress' } : null
}

/** The last report of rauc-hawkbit-updater says only that the installation failed: this earlier line of RAUC says why. */
export const isRaucError = (line: string): boolean => line.startsWith('LastError: ')

const meaningOfRauc = (line: string): Meaning | null => {
  if (line.startsWith('Download complete')) return { type: 'download_completed' }
  if (line.startsWith('File checksum OK')) return { type: 'verification_started' }
  const installed = /^(\d{1,3})\s*%/.exec(line)
  if (installed) return { type: 'install_progress', ...percent(installed[1]) }
  return isRaucError(line) || /installing|installation started/i.test(line) ? { type: 'install_progress' } : null
}

const meaningOfText: Record<ReportingClient, (line: string) => Meaning | null> = {
  swupdate: meaningOfSwupdate,
  rauc: meaningOfRauc,
  other: () => null,
}

const proceeding = ({ details, progress }: Report, client: ReportingClient, state: UpdateState): Meaning[] => {
  const accepted: Meaning[] = state === 'offered' ? [{ type: 'update_accepted' }] : []
  const told = details.flatMap((line) => meaningOfText[client](line.trim()) ?? [])
  if (client === 'other' && accepted.length === 0)
    return [{ type: 'install_progress', ...(progress !== null && { progress_percent: progress }) }]
  return [...accepted, ...told]
}

const ended = ({ finished, details }: Report, client: ReportingClient, state: UpdateState): Meaning => {
  if (finished !== 'failure') return { type: 'update_claimed' }
  // `swupdate -c 3` after the restart: the device has fallen back to its previous version.
  const isBack = client === 'swupdate' && state === 'rebooting' && details.some((line) => line.includes('Update Failed.'))
  return isBack
    ? { type: 'rollback_completed', reason_code: 'boot_failed' }
    : { type: 'update_failed', reason_code: failureCodeOf(details) }
}

/** What a report of a deployment means while its update is in this state, in order. */
export const meaningsOf = (report: Report, client: ReportingClient, state: UpdateState): Meaning[] => {
  switch (report.execution) {
    case 'scheduled':
    case 'resumed':
      return [{ type: 'update_accepted' }]
    case 'download':
      return [{ type: 'download_started' }]
    case 'downloaded':
      return [{ type: 'download_completed' }]
    case 'proceeding':
      return proceeding(report, client, state)
    case 'closed':
      return [ended(report, client, state)]
    case 'canceled':
      return [{ type: 'update_cancelled', reason_code: 'aborted' }]
    case 'rejected':
      return [{ type: 'update_deferred', reason_code: 'user_deferred' }]
  }
}

/** Whether nothing follows a report: the client considers the action done. */
export const endsAction = ({ execution }: Pick<Report, 'execution'>): boolean =>
  execution === 'closed' || execution === 'canceled' || execution === 'rejected'

/** Whether an answer to a cancellation means that the update was stopped. */
export const stopsUpdate = ({ execution, finished }: Pick<Report, 'execution' | 'finished'>): boolean | null => {
  if (execution === 'canceled') return true
  if (execution === 'rejected') return false
  return execution === 'closed' ? finished !== 'failure' : null
}
