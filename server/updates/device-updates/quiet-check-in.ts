import type { CheckInBody } from '../../../contract/device/api'
import { connectivityOf } from '../../fleet/devices/state/connectivity'
import { pollingColumns } from '../../fleet/devices/polling'
import { isKnownOrigin } from '../../fleet/devices/tokens/token-sharing'
import type { DeviceRow } from '../../fleet/devices/repository'

/** What a check-in can change. */
export type CheckInFacts = Pick<
  DeviceRow,
  | 'firstSeenAt'
  | 'lastSeenAt'
  | 'enrolledAt'
  | 'bootId'
  | 'seenFrom'
  | 'trustedKeys'
  | 'keyListCounter'
  | 'secureBootState'
  | 'rollbackVersion'
  | 'secureBootBundleId'
  | 'secureBootKeyHash'
  | 'fuseWords'
  | 'pollingIntervalS'
  | 'nextPollingS'
  | 'configuredPollingS'
  | 'clientName'
  | 'clientVersion'
  | 'clientConfigHash'
  | 'reportedReleaseId'
  | 'installedVersion'
  | 'installedSlot'
  | 'installedConfirmed'
>

const isSameList = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((one, n) => one === b[n])

const isSameClient = (device: CheckInFacts, client: CheckInBody['client']) =>
  !client ||
  (device.clientName === client.name && device.clientVersion === client.version && device.clientConfigHash === client.config_hash)

const isSameInstalled = (device: CheckInFacts, installed: CheckInBody['installed']) =>
  installed
    ? device.reportedReleaseId === installed.release_id &&
      device.installedVersion === installed.version &&
      device.installedSlot === installed.slot &&
      device.installedConfirmed === installed.confirmed
    : device.installedVersion === null

const wordsOf = (words: CheckInBody['secure_boot']['words'] | null) =>
  (words ?? []).map(({ bank, word, value_hex }) => `${bank}/${word}/${value_hex}`)

const isSameSecureBoot = (device: CheckInFacts, report: CheckInBody['secure_boot']) =>
  device.secureBootState === report.state &&
  device.rollbackVersion === report.rollback_version &&
  device.secureBootBundleId === (report.bundle_id ?? null) &&
  device.secureBootKeyHash === (report.key_hash ?? null) &&
  isSameList(wordsOf(device.fuseWords), wordsOf(report.words))

type Caller = { address: string; projectS: number; now: Date }

/**
 * Whether a check-in changes nothing but the time of the last contact. A device that the database does not show as online is
 * none of these: that it is back is news.
 */
export const isQuiet = (device: CheckInFacts, body: CheckInBody, { address, projectS, now }: Caller): boolean =>
  device.firstSeenAt !== null &&
  device.enrolledAt !== null &&
  connectivityOf(device.lastSeenAt, device.pollingIntervalS ?? projectS, now) === 'online' &&
  body.battery_percent === undefined &&
  device.bootId === body.boot_id &&
  isKnownOrigin(device, address, body.boot_id) &&
  isSameList(device.trustedKeys, body.trusted_keys) &&
  device.keyListCounter === (body.key_list_counter ?? 0) &&
  isSameSecureBoot(device, body.secure_boot) &&
  Object.keys(pollingColumns(device, body.polling_interval_s, projectS)).length === 0 &&
  isSameClient(device, body.client) &&
  isSameInstalled(device, body.installed)
