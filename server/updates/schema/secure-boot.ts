import { sql } from 'drizzle-orm'
import { bigint, index, integer, jsonb, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core'
import type { Artifact } from '../../../contract/updates/secure-boot/artifacts'
import type { BundleKey, Check, SecureBootBundle } from '../../../contract/updates/secure-boot/bundles'
import type { FuseConfig } from '../../../contract/updates/secure-boot/fuses'
import type { PlatformId } from '../../../contract/updates/secure-boot/platforms'
import type { Author } from '../../../contract/core/shapes'
import { projects } from '../../accounts/schema/projects'
import { entity, moment } from '../../core/database/schema/columns'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const big = (name: string) => bigint(name, { mode: 'number' })

export const secureBootBundles = pgTable(
  'secure_boot_bundles',
  {
    ...entity,
    projectId: projectId(),
    createdBy: jsonb('created_by').$type<Author>(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    version: big('version').notNull(),
    platform: text('platform').$type<PlatformId>().notNull(),
    hardwareModels: text('hardware_models').array().notNull(),
    state: text('state').$type<SecureBootBundle['state']>().notNull(),
    stateReason: text('state_reason'),
    /** When a device first reported it; null before. */
    appliedAt: moment('applied_at'),
    rollbackVersion: big('rollback_version').notNull().default(0),
    keys: jsonb('keys').$type<BundleKey[]>().notNull().default([]),
    keyHash: text('key_hash'),
    fuseConfig: jsonb('fuse_config').$type<FuseConfig>().notNull(),
    checks: jsonb('checks').$type<Check[]>().notNull().default([]),
    checkedAt: moment('checked_at'),
    /** Increases with each start of the checks: a result of an earlier run is dropped. */
    checkRun: integer('check_run').notNull().default(0),
    /** How often this run was begun: a run whose process died is begun again. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    checkDone: integer('check_done').notNull().default(0),
    checkTotal: integer('check_total').notNull().default(0),
  },
  (table) => [
    index('secure_boot_bundles_by_version').on(table.projectId, table.version, table.id),
    index('secure_boot_bundles_by_created').on(table.projectId, table.createdAt, table.id),
    index('secure_boot_bundles_state').on(table.state),
  ],
)

export const bundleArtifacts = pgTable(
  'bundle_artifacts',
  {
    ...entity,
    projectId: projectId(),
    bundleId: text('bundle_id')
      .notNull()
      .references(() => secureBootBundles.id, { onDelete: 'cascade' }),
    role: text('role').$type<Artifact['role']>().notNull(),
    fileName: text('file_name').notNull(),
    size: big('size').notNull(),
    sha256: text('sha256'),
    loadAddress: text('load_address'),
    state: text('state').$type<Artifact['state']>().notNull(),
    rejectReason: text('reject_reason'),
    rejectCode: text('reject_code').$type<Artifact['reject_code']>(),
    /** The storage key of the bytes; null until the upload is complete. */
    storageKey: text('storage_key'),
    signature: jsonb('signature').$type<Artifact['signature']>(),
    parsed: jsonb('parsed').$type<Artifact['parsed']>(),
    /** The first end of the certificates that the checks found in the bytes. */
    certificateExpiresAt: moment('certificate_expires_at'),
  },
  (table) => [
    uniqueIndex('bundle_artifacts_name').on(table.bundleId, table.fileName),
    index('bundle_artifacts_project').on(table.projectId),
    index('bundle_artifacts_storage_key').on(table.storageKey),
    index('bundle_artifacts_expiring')
      .on(table.projectId, table.certificateExpiresAt, table.id)
      .where(sql`${table.certificateExpiresAt} is not null`),
  ],
)
