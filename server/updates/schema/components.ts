import { sql } from 'drizzle-orm'
import { index, integer, jsonb, pgTable, text } from 'drizzle-orm/pg-core'
import type { Sbom } from '../../../contract/updates/components'
import { projects } from '../../accounts/schema/projects'
import { moment } from '../../core/database/schema/columns'
import { assets, releases } from './releases'

const projectId = () =>
  text('project_id')
    .notNull()
    .references(() => projects.id, { onDelete: 'cascade' })
const releaseId = () =>
  text('release_id')
    .notNull()
    .references(() => releases.id, { onDelete: 'cascade' })

/** What reading a file of kind `sbom` gave. A file without a row is still to be read. */
export const sboms = pgTable(
  'sboms',
  {
    assetId: text('asset_id')
      .primaryKey()
      .references(() => assets.id, { onDelete: 'cascade' }),
    projectId: projectId(),
    releaseId: releaseId(),
    /** The bytes that were read: another upload is read again. */
    storageKey: text('storage_key').notNull(),
    /** Null if the file was refused. */
    format: text('format').$type<NonNullable<Sbom['format']>>(),
    formatVersion: text('format_version'),
    /** The first field that breaks a rule, and the rule. */
    problemField: text('problem_field'),
    problemRule: text('problem_rule'),
    componentCount: integer('component_count').notNull(),
    /** The first fields that were cut or left out, and how many there are. */
    notes: jsonb('notes').$type<Sbom['notes']>().notNull().default([]),
    noteCount: integer('note_count').notNull().default(0),
    readAt: moment('read_at').notNull(),
  },
  (table) => [index('sboms_release').on(table.releaseId)],
)

export const components = pgTable(
  'components',
  {
    id: text('id').primaryKey(),
    assetId: text('asset_id')
      .notNull()
      .references(() => sboms.assetId, { onDelete: 'cascade' }),
    projectId: projectId(),
    releaseId: releaseId(),
    name: text('name').notNull(),
    version: text('version'),
    purl: text('purl'),
    licence: text('licence'),
    hash: text('hash'),
    supplier: text('supplier'),
  },
  (table) => [
    // At most 512 characters of 4 bytes in one entry: PostgreSQL allows about 2,700 bytes.
    index('components_asset').on(table.assetId),
    index('components_release_name').on(table.releaseId, sql`lower(${table.name})`, table.id),
    index('components_project_name').on(table.projectId, sql`lower(${table.name})`, table.id),
    index('components_project_version').on(table.projectId, table.version, table.id),
  ],
)
