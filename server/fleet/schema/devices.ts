import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  doublePrecision,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
} from 'drizzle-orm/pg-core'
import type { Protocol } from '../../../contract/ddi/confirm'
import type { Attributes } from '../../../contract/device/api'
import type { UpdateState } from '../../../contract/device/update-events'
import type { commandStates } from '../../../contract/fleet/device-commands'
import type { Connectivity, Device, TokenSharing } from '../../../contract/fleet/devices'
import type { Author } from '../../../contract/core/shapes'
import type { SecureBootReport } from '../../../contract/device/secure-boot-report'
import { deviceUpdateMoves } from '../../../machines/device-update/device-update.machine'
import { textList } from '../../core/database/text-list'
import { entity, moment } from '../../core/database/schema/columns'
import { projects } from '../../accounts/schema/projects'
import { connectivityRank, healthOf, healthRank, keysHash, updateGroupOfState, updateRank, versionOf } from './device-values'
import { tags } from './tags'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const big = (name: string) => bigint(name, { mode: 'number' })

/** One address and boot of a device; `at` is the last contact from there, in ISO 8601. */
export type ContactOrigin = { address: string; boot_id: string; at: string }

/** Imports that have created devices. */
export const deviceImports = pgTable(
  'device_imports',
  {
    ...entity,
    projectId: projectId(),
    fileName: text('file_name'),
    createdBy: jsonb('created_by').$type<Author>().notNull(),
  },
  (table) => [index('device_imports_project').on(table.projectId, table.id)],
)

export const devices = pgTable(
  'devices',
  {
    ...entity,
    projectId: projectId(),
    name: text('name').notNull(),
    serialNumber: text('serial_number'),
    hardwareModel: text('hardware_model').notNull(),
    /** The device API that it uses: ours, or that of hawkBit. */
    protocol: text('protocol').$type<Protocol>().notNull().default('teasel'),
    lifecycle: text('lifecycle').$type<Device['lifecycle']>().notNull(),
    enrollment: text('enrollment').$type<'group' | 'single' | 'pre_enrolled' | 'imported' | 'simulated'>().notNull(),
    /** The device's own key and the time of its last proof: required to enroll again under a serial number that is taken. */
    publicKey: text('public_key'),
    provedMs: big('proved_ms').notNull().default(0),
    firstSeenAt: moment('first_seen_at'),
    lastSeenAt: moment('last_seen_at'),
    /** The connectivity when it was last reviewed: it finds the few devices whose connectivity has changed since. */
    contact: text('contact').$type<Connectivity>().notNull().default('never_seen'),
    enrolledAt: moment('enrolled_at'),
    pollingIntervalS: integer('polling_interval_s'),
    /** An interval that it learns at its next contact, until which the former one applies; 0: that of the project. */
    nextPollingS: integer('next_polling_s'),
    /** The last value of its device.json: another value there is a new decision. */
    configuredPollingS: integer('configured_polling_s'),
    bootId: text('boot_id'),
    /**
     * Where its token was used from, newest first: a source that returns after another one means two users of the token (T-18).
     */
    seenFrom: jsonb('seen_from').$type<ContactOrigin[]>().notNull().default([]),
    tokenSharedAt: moment('token_shared_at'),
    tokenSharedBy: text('token_shared_by').$type<TokenSharing['by']>(),

    /**
     * The release that the device has reported last, which may be of no release of its project; null until it is looked up there.
     */
    reportedReleaseId: text('reported_release_id'),
    /** The same, if it is a release of the project. */
    installedReleaseId: text('installed_release_id'),
    installedName: text('installed_name'),
    installedVersion: big('installed_version'),
    installedDisplayVersion: text('installed_display_version'),
    installedAt: moment('installed_at'),
    installedSlot: text('installed_slot').$type<'a' | 'b'>(),
    installedConfirmed: boolean('installed_confirmed').notNull().default(false),

    // Columns of the device list about the current or last update: a copy of its row in rollout_devices, kept by a trigger.
    updateRolloutId: text('update_rollout_id'),
    updateReleaseId: text('update_release_id'),
    updateVersion: big('update_version'),
    updateDisplayVersion: text('update_display_version'),
    updateState: text('update_state').$type<UpdateState>(),
    updateStateSince: moment('update_state_since'),
    updateProgress: doublePrecision('update_progress'),
    updateBytesDone: big('update_bytes_done'),
    updateBytesTotal: big('update_bytes_total'),
    updateAttempt: integer('update_attempt').notNull().default(1),
    updateErrorCode: text('update_error_code'),
    updateErrorText: text('update_error_text'),
    /** The highest sequence of a report that counted: later arrivals with a lower one are stored but change nothing. */
    eventSequence: big('event_sequence').notNull().default(0),

    updatesEnabled: boolean('updates_enabled').notNull().default(true),
    updatesPausedUntil: moment('updates_paused_until'),
    quarantineUntil: moment('quarantine_until'),
    quarantineReason: text('quarantine_reason'),
    quarantineReleaseId: text('quarantine_release_id'),

    attributes: jsonb('attributes').$type<Attributes>().notNull().default({}),
    attributesHash: text('attributes_hash'),
    metadata: jsonb('metadata').$type<Device['metadata']>().notNull().default({}),
    trustedKeys: text('trusted_keys').array().notNull().default([]),
    /** The counter of the key list that the device holds, 0 before the first. */
    keyListCounter: integer('key_list_counter').notNull().default(0),
    secureBootState: text('secure_boot_state').notNull().default('unknown'),
    rollbackVersion: big('rollback_version'),
    /** The bundle that the device says it boots by; it may be of no bundle of the project. */
    secureBootBundleId: text('secure_boot_bundle_id'),
    secureBootKeyHash: text('secure_boot_key_hash'),
    /** The fuse words that the device can read; null if it reports none. */
    fuseWords: jsonb('fuse_words').$type<SecureBootReport['words']>(),
    healthStatus: text('health_status').$type<Device['health']['status']>().notNull().default('unknown'),
    healthReasons: jsonb('health_reasons').$type<Device['health']['reasons']>().notNull().default([]),
    timezone: text('timezone'),
    clientName: text('client_name'),
    clientVersion: text('client_version'),
    clientConfigHash: text('client_config_hash'),
    notes: text('notes').notNull().default(''),
    importId: text('import_id').references(() => deviceImports.id, { onDelete: 'set null' }),
    deletedAt: moment('deleted_at'),
    /** The row of the device in the project that it was moved to; this one keeps its history until it is removed. */
    movedToId: text('moved_to_id'),
    /** The projects that it was moved from: clients that name one of them are told the current one. */
    formerProjectIds: text('former_project_ids').array().notNull().default([]),
  },
  (table) => {
    const alive = sql`${table.deletedAt} is null`
    const name = sql`lower(${table.name})`
    return [
      uniqueIndex('devices_project_name')
        .on(table.projectId, sql`lower(${table.name})`)
        .where(alive),
      uniqueIndex('devices_project_serial').on(table.projectId, table.serialNumber).where(alive),
      index('devices_by_name')
        .on(table.projectId, sql`lower(${table.name})`, table.id)
        .where(alive),
      index('devices_by_created').on(table.projectId, table.createdAt, table.id).where(alive),
      index('devices_by_last_seen')
        .on(table.projectId, sql`coalesce(${table.lastSeenAt}, 'epoch'::timestamptz)`, table.id)
        .where(alive),
      index('devices_by_serial')
        .on(table.projectId, sql`coalesce(${table.serialNumber}, '')`, table.id)
        .where(alive),
      index('devices_by_enrolled')
        .on(table.projectId, sql`coalesce(${table.enrolledAt}, 'epoch'::timestamptz)`, table.id)
        .where(alive),
      // Few values: lists by or of one of these continue by the name, which is unique among the devices of a project.
      index('devices_by_model').on(table.projectId, table.hardwareModel, name).where(alive),
      index('devices_by_lifecycle').on(table.projectId, table.lifecycle, name).where(alive),
      index('devices_by_version')
        .on(table.projectId, sql`coalesce(${table.installedVersion}, 0)`, name)
        .where(alive),
      index('devices_of_version').on(table.projectId, versionOf(table), name).where(alive),
      index('devices_by_connectivity').on(table.projectId, connectivityRank(table.contact), name).where(alive),
      index('devices_by_health')
        .on(table.projectId, healthRank(healthOf(table.contact, table.healthStatus)), name)
        .where(alive),
      index('devices_by_update')
        .on(table.projectId, updateRank(updateGroupOfState(table.updateState)), name)
        .where(alive),
      index('devices_by_contact')
        .on(table.projectId, table.contact, sql`coalesce(${table.pollingIntervalS}, 0)`, table.lastSeenAt)
        .where(alive),
      index('devices_unwell')
        .on(table.projectId, table.healthStatus, table.lastSeenAt.desc().nullsFirst(), table.id)
        .where(sql`${alive} and ${table.healthStatus} in ('critical', 'warning')`),
      index('devices_failed')
        .on(table.projectId, table.lastSeenAt.desc().nullsFirst(), table.id)
        .where(sql`${alive} and ${table.updateState} in ${textList(deviceUpdateMoves.withTag('failed'))}`),
      index('devices_pending')
        .on(table.projectId, table.lastSeenAt.desc().nullsFirst(), table.id)
        .where(sql`${alive} and ${table.lifecycle} = 'pending'`),
      index('devices_by_keys')
        .on(table.projectId, keysHash(table.trustedKeys), name)
        .where(sql`${alive} and ${table.lifecycle} = 'active' and ${table.protocol} = 'teasel'`),
      index('devices_by_key_list')
        .on(table.projectId, table.keyListCounter)
        .where(sql`${alive} and ${table.keyListCounter} > 0`),
      index('devices_deleted')
        .on(table.projectId, table.deletedAt, table.id)
        .where(sql`${table.deletedAt} is not null and ${table.movedToId} is null`),
      index('devices_quarantined')
        .on(table.projectId, name)
        .where(sql`${alive} and ${table.quarantineUntil} is not null`),
      index('devices_installed').on(table.installedReleaseId, name),
      index('devices_import')
        .on(table.importId, name)
        .where(sql`${table.importId} is not null`),
      index('devices_secure_boot_bundle')
        .on(table.secureBootBundleId)
        .where(sql`${table.secureBootBundleId} is not null`),
      index('devices_moved')
        .on(table.movedToId)
        .where(sql`${table.movedToId} is not null`),
      index('devices_unavailable')
        .on(table.projectId)
        .where(sql`${table.deletedAt} is not null or ${table.lifecycle} <> 'active' or not ${table.updatesEnabled}`),
    ]
  },
)

const deviceId = () =>
  text('device_id')
    .notNull()
    .references(() => devices.id, { onDelete: 'cascade' })

/**
 * Tokens of devices by their SHA-256. `replacedAt`: the device has requested another one. From the first use of that one, its
 * `usedAt`, the replaced ones are valid until `expiresAt`.
 */
export const deviceTokens = pgTable(
  'device_tokens',
  {
    tokenHash: text('token_hash').primaryKey(),
    projectId: projectId(),
    deviceId: deviceId(),
    prefix: text('prefix').notNull(),
    createdAt: moment('created_at').notNull(),
    usedAt: moment('used_at'),
    replacedAt: moment('replaced_at'),
    expiresAt: moment('expires_at'),
  },
  (table) => [index('device_tokens_device').on(table.deviceId), index('device_tokens_created').on(table.createdAt)],
)

/** Tokens of imported devices that are not valid any more: they stay with their project (decision 80). A trigger writes them. */
export const formerImportedTokens = pgTable(
  'former_imported_tokens',
  { tokenHash: text('token_hash').primaryKey(), projectId: projectId() },
  (table) => [index('former_imported_tokens_project').on(table.projectId)],
)

export const enrollmentTokens = pgTable(
  'enrollment_tokens',
  {
    ...entity,
    projectId: projectId(),
    tokenHash: text('token_hash').notNull(),
    prefix: text('prefix').notNull(),
    /** SHA-256 of the certificate of an authority: no one has the token of such a row. */
    authority: text('authority'),
    name: text('name').notNull(),
    kind: text('kind').$type<'group' | 'single'>().notNull(),
    hardwareModel: text('hardware_model'),
    defaultTags: text('default_tags').array().notNull().default([]),
    maxUses: integer('max_uses'),
    uses: integer('uses').notNull().default(0),
    expiresAt: moment('expires_at'),
    autoAccept: boolean('auto_accept').notNull(),
    revokedAt: moment('revoked_at'),
  },
  (table) => [
    uniqueIndex('enrollment_tokens_token').on(table.tokenHash),
    uniqueIndex('enrollment_tokens_authority')
      .on(table.projectId, table.authority)
      .where(sql`${table.revokedAt} is null`),
    index('enrollment_tokens_project').on(table.projectId, table.createdAt, table.id),
    // Without used-up ones: a token for one device is used up with its first use.
    index('enrollment_tokens_expiring')
      .on(table.projectId, table.expiresAt, table.id)
      .where(
        sql`${table.revokedAt} is null and ${table.expiresAt} is not null
          and (${table.maxUses} is null or ${table.uses} < ${table.maxUses})`,
      ),
  ],
)

export const deviceTags = pgTable(
  'device_tags',
  {
    projectId: projectId(),
    deviceId: deviceId(),
    tagId: text('tag_id')
      .notNull()
      .references(() => tags.id, { onDelete: 'cascade' }),
  },
  (table) => [
    primaryKey({ columns: [table.tagId, table.deviceId] }),
    // The devices of a page are apart in it: a hash finds the tags of each in one block, whatever the number of devices.
    index('device_tags_device').using('hash', table.deviceId),
  ],
)

export const deviceCommands = pgTable(
  'device_commands',
  {
    id: text('id').primaryKey(),
    projectId: projectId(),
    deviceId: deviceId(),
    command: text('command').notNull(),
    args: jsonb('args').$type<Record<string, string>>().notNull().default({}),
    state: text('state').$type<(typeof commandStates)[number]>().notNull(),
    createdAt: moment('created_at').notNull(),
    createdBy: text('created_by').notNull(),
    deliveredAt: moment('delivered_at'),
    doneAt: moment('done_at'),
    output: text('output'),
  },
  (table) => [index('device_commands_device').on(table.deviceId, table.id)],
)

/** What was installed when; the newest row is what the device runs. */
export const installations = pgTable(
  'installations',
  {
    id: text('id').primaryKey(),
    projectId: projectId(),
    deviceId: deviceId(),
    releaseId: text('release_id'),
    name: text('name'),
    version: big('version').notNull(),
    displayVersion: text('display_version'),
    installedAt: moment('installed_at').notNull(),
    slot: text('slot').$type<'a' | 'b'>(),
    confirmed: boolean('confirmed').notNull(),
  },
  (table) => [index('installations_device').on(table.deviceId, table.id)],
)
