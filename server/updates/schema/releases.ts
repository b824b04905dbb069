import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Asset } from '../../../contract/updates/release-assets'
import type { Release } from '../../../contract/updates/releases'
import type { Author } from '../../../contract/core/shapes'
import type { Upload } from '../../../contract/updates/uploads'
import { entity, moment } from '../../core/database/schema/columns'
import { users } from '../../accounts/schema/people'
import { projects } from '../../accounts/schema/projects'
import { signingKeys } from '../../fleet/schema/keys'
import { secureBootBundles } from './secure-boot'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const big = (name: string) => bigint(name, { mode: 'number' })

export const releases = pgTable(
  'releases',
  {
    ...entity,
    projectId: projectId(),
    createdBy: jsonb('created_by').$type<Author>(),
    name: text('name').notNull(),
    version: big('version').notNull(),
    displayVersion: text('display_version'),
    type: text('type').$type<Release['type']>().notNull(),
    description: text('description').notNull().default(''),
    notes: text('notes').notNull().default(''),
    hardwareModels: text('hardware_models').array().notNull(),
    minInstalledVersion: big('min_installed_version'),
    rollbackVersion: big('rollback_version'),
    /** The bundle that its devices boot by: the manifest takes over its rollback version. */
    secureBootBundleId: text('secure_boot_bundle_id').references(() => secureBootBundles.id),
    /** Versions that may be downgraded to this one: part of the signed manifest. */
    allowDowngradeFrom: big('allow_downgrade_from').array().notNull().default([]),
    /**
     * Older versions that devices may return to from this one: part of the signed manifest. Null: filled at finalize, or signed
     * before the list existed.
     */
    mayReturnTo: big('may_return_to').array(),
    /** The list was filled automatically: reopening the release clears it. */
    returnListFilled: boolean('return_list_filled').notNull().default(false),
    hooks: jsonb('hooks').$type<Release['hooks']>().notNull(),
    reboot: text('reboot').$type<Release['reboot']>().notNull(),
    state: text('state').$type<Release['state']>().notNull(),
    stateReason: text('state_reason'),
    /** What was found when the manifest was built, and does not prevent it. */
    warnings: text('warnings').array().notNull().default([]),
    /** The exact bytes that are signed, in base 64. */
    payload: text('payload'),
    manifestSha256: text('manifest_sha256'),
    manifestAt: moment('manifest_at'),
    expiresAt: moment('expires_at'),
  },
  (table) => [
    index('releases_by_version').on(table.projectId, table.version, table.id),
    index('releases_by_created').on(table.projectId, table.createdAt, table.id),
    // Of older releases, and of those that nobody may install, nothing has to be renewed.
    index('releases_expiring')
      .on(table.projectId, table.expiresAt, table.id)
      .where(sql`${table.state} in ('awaiting_signature', 'ready', 'released') and ${table.expiresAt} is not null`),
    index('releases_revoked')
      .on(table.projectId, table.id)
      .where(sql`${table.state} = 'revoked'`),
    index('releases_secure_boot_bundle').on(table.secureBootBundleId),
    index('releases_by_name').on(table.projectId, sql`lower(${table.name})`, table.id),
  ],
)

export const assets = pgTable(
  'assets',
  {
    ...entity,
    projectId: projectId(),
    releaseId: text('release_id')
      .notNull()
      .references(() => releases.id, { onDelete: 'cascade' }),
    name: text('name').notNull(),
    kind: text('kind').$type<Asset['kind']>().notNull(),
    size: big('size').notNull(),
    sha256: text('sha256'),
    /** What hawkBit clients compare; stored by the job that reads new bundles, or at their first use. */
    sha1: text('sha1'),
    md5: text('md5'),
    contentType: text('content_type').notNull(),
    installLocation: text('install_location'),
    mode: text('mode'),
    state: text('state').$type<Asset['state']>().notNull(),
    rejectReason: text('reject_reason'),
    downloadCount: integer('download_count').notNull().default(0),
    /** The storage key of the bytes; null until the upload is complete. */
    storageKey: text('storage_key'),
    /** When the stored bytes were last found correct; null for files to be read next. */
    verifiedAt: moment('verified_at'),
    /** The storage's stamp of the file at that time: while it is unchanged, the bytes need not be read again. */
    verifiedStamp: text('verified_stamp'),
    /** When the stored bytes were found to differ from the uploaded ones. */
    damagedAt: moment('damaged_at'),
  },
  (table) => [
    uniqueIndex('assets_release_name').on(table.releaseId, table.name),
    index('assets_project').on(table.projectId),
    index('assets_verified').on(table.verifiedAt),
  ],
)

export const releaseSignatures = pgTable(
  'release_signatures',
  {
    id: text('id').primaryKey(),
    projectId: projectId(),
    releaseId: text('release_id')
      .notNull()
      .references(() => releases.id, { onDelete: 'cascade' }),
    keyId: text('key_id')
      .notNull()
      .references(() => signingKeys.id),
    /** 64 bytes in base 64, as in the envelope. */
    signature: text('signature').notNull(),
    signedAt: moment('signed_at').notNull(),
    signedBy: jsonb('signed_by').$type<Author>().notNull(),
  },
  (table) => [
    uniqueIndex('release_signatures_once').on(table.releaseId, table.keyId),
    index('release_signatures_key').on(table.keyId),
  ],
)

export const uploads = pgTable(
  'uploads',
  {
    id: text('id').primaryKey(),
    createdAt: moment('created_at').notNull(),
    projectId: projectId(),
    ownerId: text('owner_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    fileName: text('file_name').notNull(),
    contentType: text('content_type').notNull(),
    size: big('size').notNull(),
    /** The last acknowledged offset; the file is never shorter (F-11). */
    offset: big('offset').notNull().default(0),
    /** The hash announced by the client, compared after the last byte. */
    sha256: text('sha256'),
    /** Identifies the client's file for resuming: see the contract. Null if the client sends none. */
    fingerprint: text('fingerprint'),
    purpose: text('purpose').$type<Upload['purpose']>().notNull(),
    targetId: text('target_id').notNull(),
    state: text('state').$type<Upload['state']>().notNull(),
    expiresAt: moment('expires_at').notNull(),
    error: text('error'),
  },
  (table) => [
    index('uploads_owner').on(table.ownerId, table.state, table.createdAt),
    index('uploads_target').on(table.targetId),
    index('uploads_open')
      .on(table.expiresAt)
      .where(sql`${table.state} = 'open'`),
  ],
)
