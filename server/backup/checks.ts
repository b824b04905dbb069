import { cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Client } from 'pg'
import type { Config } from '../core/config'
import { readMigrations } from '../core/database/migrate'
import { root } from '../core/root'
import { quoted } from './database'
import { isSame, measure } from './files'
import { fingerprintOf, type Manifest } from './manifest'

const MIGRATIONS = join(root, 'server/core/database/migrations')

/** Refuses another secret key than that of the backup. */
export const checkKey = (config: Config, { secret_key: wanted }: Manifest) => {
  if (wanted === fingerprintOf(config.secretKey) || wanted === null) return
  throw new Error(
    'TEASEL_SECRET_KEY: set the key that was set when the backup was made; without it the second factors in it cannot be read.',
  )
}

/** Compares each file of the backup with its hash. */
export const checkFiles = async (from: string, { files }: Manifest) => {
  for (const { path, ...wanted } of files)
    if (!isSame(await measure(join(from, path)), wanted))
      throw new Error(`${join(from, path)} is missing, incomplete or changed. Nothing was restored.`)
}

/** The migrations of this program up to those of the backup: its rows fit no other schema. */
export const migrationsOf = async ({ migrations }: Manifest): Promise<string> => {
  const known = readMigrations(MIGRATIONS)
  if (migrations.some(({ hash }, n) => known[n]?.hash !== hash))
    throw new Error(
      'The backup was made by a later version or a development version of this program. Restore it with that version.',
    )
  const folder = await mkdtemp(join(tmpdir(), 'teasel-migrations-'))
  await cp(MIGRATIONS, folder, { recursive: true })
  const path = join(folder, 'meta/_journal.json')
  const journal: { entries: unknown[] } = JSON.parse(await readFile(path, 'utf8'))
  await writeFile(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, migrations.length) }))
  return folder
}

/** Refuses a database with rows. */
export const checkEmpty = async (client: Client) => {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  for (const { name } of rows) {
    const found = await client.query(`select 1 from public.${quoted(name)} limit 1`)
    if (found.rowCount)
      throw new Error(`The database is not empty: ${name} has rows. Restore into an empty data directory or an empty database.`)
  }
}
