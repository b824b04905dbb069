import { isDeepStrictEqual } from 'node:util'
import type { CheckInBody, EnrollBody } from '../../../contract/device/api'
import type { DeviceChanges, DeviceRow } from './repository'

/** The column of each value that a device reports. Undefined: the device says nothing about it, and the column stays. */
type Reported<Body> = { [Column in keyof DeviceRow]?: (body: Body) => DeviceRow[Column] | undefined }

/** What a device reports at its enrollment and at each check-in. */
const identity = {
  trustedKeys: ({ trusted_keys }) => trusted_keys,
  clientName: ({ client }) => client?.name,
  clientVersion: ({ client }) => client?.version,
  clientConfigHash: ({ client }) => client?.config_hash,
} satisfies Reported<Pick<CheckInBody, 'trusted_keys' | 'client'>>

/** What it reports at each check-in. */
const state = {
  ...identity,
  bootId: ({ boot_id }) => boot_id,
  keyListCounter: ({ key_list_counter }) => key_list_counter ?? 0,
  secureBootState: ({ secure_boot }) => secure_boot.state,
  rollbackVersion: ({ secure_boot }) => secure_boot.rollback_version,
  secureBootBundleId: ({ secure_boot }) => secure_boot.bundle_id ?? null,
  secureBootKeyHash: ({ secure_boot }) => secure_boot.key_hash ?? null,
  fuseWords: ({ secure_boot }) => secure_boot.words ?? null,
} satisfies Reported<CheckInBody>

/** What it runs. These columns are not written alone: the project's name of the release and the history belong to them. */
const running = {
  reportedReleaseId: ({ installed }) => installed?.release_id ?? null,
  installedVersion: ({ installed }) => installed?.version ?? null,
  installedSlot: ({ installed }) => installed?.slot ?? null,
  installedConfirmed: ({ installed }) => installed?.confirmed ?? false,
} satisfies Reported<CheckInBody>

const listColumns = <Table extends object>(table: Table) => Object.keys(table) as (keyof Table)[]
const pick = <From, Column extends keyof From>(from: From, columns: readonly Column[]) =>
  Object.fromEntries(columns.map((column) => [column, from[column]])) as Pick<From, Column>

/** What the time, the address and the interval of a check-in are compared with: these are no plain differences. */
const contact = [
  'firstSeenAt',
  'lastSeenAt',
  'enrolledAt',
  'seenFrom',
  'pollingIntervalS',
  'nextPollingS',
  'configuredPollingS',
] as const
const compared = [...listColumns(state), ...listColumns(running), ...contact]

/** What a check-in can change. */
export type CheckInFacts = Pick<DeviceRow, (typeof compared)[number]>
/** The columns of a table with what a check-in can change. */
export const toCheckInColumns = <Table extends { [Column in keyof CheckInFacts]: unknown }>(table: Table) => pick(table, compared)

/** What follows a device to another project: the counter of its key list counts by project. */
export const toFollowingColumns = (row: DeviceRow): Pick<DeviceRow, Exclude<keyof typeof state, 'keyListCounter'>> => {
  const { keyListCounter: _, ...following } = pick(row, listColumns(state))
  return following
}

// A device without fuse words reports none or an empty list.
const isNone = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
const isSame = (a: unknown, b: unknown) => isDeepStrictEqual(a, b) || (isNone(a) && isNone(b))

const listValues = <Body>(reported: Reported<Body>, body: Body): [keyof DeviceRow, unknown][] =>
  listColumns(reported).flatMap((column) => {
    const value = reported[column]?.(body)
    return value === undefined ? [] : [[column, value]]
  })

const compareBy =
  (reported: Reported<CheckInBody>) =>
  (row: CheckInFacts, body: CheckInBody): DeviceChanges =>
    Object.fromEntries(listValues(reported, body).filter(([column, value]) => !isSame(row[column as keyof CheckInFacts], value)))

/** The columns that a check-in changes. */
export const compareReported = compareBy(state)
export const compareRunning = compareBy(running)

/** What an enrollment writes. */
export const toEnrolledColumns = (body: EnrollBody) =>
  Object.fromEntries(listValues(identity, body)) as Pick<DeviceRow, keyof typeof identity>
