import { join } from 'node:path'
import { drizzle } from 'drizzle-orm/node-postgres'
import { type MigrationMeta, readMigrationFiles } from 'drizzle-orm/migrator'
import { migrate as runMigrations } from 'drizzle-orm/node-postgres/migrator'
import type { Client } from 'pg'
import { createClient } from './clients'
import { root } from '../root'
import { connectClient } from './connect'
import { grantHostRights } from './roles'

/** Thrown when a different version of the program migrated the database. The message says what to do. */
export class WrongSchema extends Error {
  override name = 'WrongSchema'
}

export type Migration = { from: number; to: number }
export type MigrateOptions = {
  /** Connects as the owner of the tables. */
  url: string
  folder?: string
  note?: (message: string) => void
  /** The role of the hosts if it is not the owner: it gets its rights on the tables (roles.ts). */
  hostRole?: string | undefined
}

// Any number that is the same in every process: two that start together migrate one after the other (F-26).
const LOCK = 7_331_001

/** Held by backups, and by a migration alone. */
const BACKUPS = 7_331_002

/**
 * Keeps the schema as it is until the connection ends: a migration waits before it locks tables. Otherwise it would wait for a table that
 * a backup reads, and all requests would wait for the migration.
 */
export const keepSchema = async (client: Client): Promise<void> => {
  await client.query('select pg_advisory_lock_shared($1)', [BACKUPS])
}

const waitForBackups = async (client: Client, note: (message: string) => void) => {
  const { rows } = await client.query<{ free: boolean }>('select pg_try_advisory_lock($1) as free', [BACKUPS])
  if (rows[0]?.free) return
  note('A backup is running: the schema migrations wait until it has ended.')
  await client.query('select pg_advisory_lock($1)', [BACKUPS])
}

type Applied = { when: number; hash: string }

const appliedTo = async (client: Client): Promise<Applied[]> => {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as there`,
  )
  if (!rows[0]?.there) return []
  const { rows: applied } = await client.query<{ created_at: string; hash: string }>(
    'select created_at, hash from drizzle.__drizzle_migrations order by created_at',
  )
  return applied.map(({ created_at: when, hash }) => ({ when: Number(when), hash }))
}

const refuseWrongSchema = (known: readonly MigrationMeta[], applied: readonly Applied[]) => {
  const newest = known.at(-1)?.folderMillis ?? 0
  if (applied.some(({ when }) => when > newest))
    throw new WrongSchema(
      `The database is newer than this program: it has ${applied.length} schema migrations, the program knows ${known.length}. Start the newer program, or restore a backup from before it was started.`,
    )
  const changed = applied.find(({ when, hash }) => known.some((it) => it.folderMillis === when && it.hash !== hash))
  if (changed)
    throw new WrongSchema(
      'The database was created by a development version of this program with a different schema. Move the data directory away, or name another database.',
    )
}

/** The migrations in a folder, in their order. */
export const readMigrations = (folder: string): MigrationMeta[] => readMigrationFiles({ migrationsFolder: folder })

const bringUpToDate = async (client: Client, folder: string, note: (message: string) => void): Promise<Migration> => {
  const known = readMigrations(folder)
  const applied = await appliedTo(client)
  refuseWrongSchema(known, applied)
  const missing = known.length - applied.length
  if (applied.length > 0 && missing > 0)
    note(
      `The database is older than this program: ${missing} schema migrations follow, all in one transaction. To be able to go back, keep a backup from before this start.`,
    )
  if (missing > 0) await waitForBackups(client, note)
  // A role without ownership can start only when no migration is missing.
  if (missing > 0) await runMigrations(drizzle(client), { migrationsFolder: folder })
  return { from: applied.length, to: known.length }
}

/**
 * Migrates a database to the schema of this program, in one transaction and under a lock. Refuses a database with a newer
 * schema.
 */
export const migrate = async ({
  url,
  folder = join(root, 'server/core/database/migrations'),
  note = () => {},
  hostRole,
}: MigrateOptions): Promise<Migration> => {
  const client = createClient({ connectionString: url, application_name: 'teasel-migrate', statement_timeout: 0 })
  await connectClient(client)
  try {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const migration = await bringUpToDate(client, folder, note)
    if (hostRole !== undefined) await grantHostRights(client, hostRole)
    return migration
  } finally {
    await client.end()
  }
}
