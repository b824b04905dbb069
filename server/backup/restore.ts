import { mkdir, rename, rm } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Client } from 'pg'
import { openAnchors } from '../core/audit/anchor'
import { verify } from '../core/audit/chain'
import { listChainIds } from '../accounts/audit/chains.repository'
import { anchorRestore } from '../accounts/audit/watch'
import type { Config } from '../core/config'
import { migrate, WrongSchema } from '../core/database/migrate'
import { databaseOf } from '../core/database/open'
import type { ArtifactStorage } from '../core/deps'
import type { Report } from './back-up'
import { checkEmpty, checkFiles, checkKey, migrationsOf } from './checks'
import { CopyIn, startCopy } from './copy'
import { connected, openTarget, quoted, requireOwnDirectory } from './database'
import { createStorage, isSame, measure, measureStored, writeBackupFile } from './files'
import { type BackupFile, type Manifest, readManifest } from './manifest'

type Rule = { off: string; on: string }

/**
 * Rules that prevent loading rows table by table: foreign keys, which are created again and so checked, and triggers, which
 * would repeat what they have already done. The tables' owner may disable both; no superuser is needed.
 */
const rulesOf = async (client: Client): Promise<Rule[]> => {
  const keys = await client.query<{ table: string; name: string; definition: string }>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition
     from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0`,
  )
  const triggers = await client.query<{ table: string; name: string }>(
    `select tgrelid::regclass::text as table, tgname as name from pg_trigger join pg_class c on c.oid = tgrelid
     where not tgisinternal and tgparentid = 0 and tgenabled = 'O' and c.relnamespace = 'public'::regnamespace`,
  )
  return [
    ...keys.rows.map(({ table, name, definition }) => ({
      off: `alter table ${table} drop constraint ${quoted(name)}`,
      on: `alter table ${table} add constraint ${quoted(name)} ${definition}`,
    })),
    ...triggers.rows.map(({ table, name }) => ({
      off: `alter table ${table} disable trigger ${quoted(name)}`,
      on: `alter table ${table} enable trigger ${quoted(name)}`,
    })),
  ]
}

const fillTable = async (client: Client, from: string, { name, columns, rows }: Manifest['tables'][number]) => {
  const text = `copy public.${quoted(name)} (${columns.map(quoted).join(', ')}) from stdin`
  const copy = startCopy(client, new CopyIn(text))
  await pipeline(createReadStream(join(from, `tables/${name}.copy.gz`)), createGunzip(), copy)
  if (copy.rows !== rows) throw new Error(`The table ${name} has ${copy.rows} rows, ${rows} were backed up.`)
}

// Those of the empty database, which may be by days where the backup has weeks: bounds must not overlap.
const dropPartitions = async (client: Client) => {
  const { rows } = await client.query<{ name: string }>(
    `select oid::regclass::text as name from pg_class
     where relispartition and relkind = 'r' and relnamespace = 'public'::regnamespace and pg_get_expr(relpartbound, oid) <> 'DEFAULT'`,
  )
  for (const { name } of rows) await client.query(`drop table ${name}`)
}

const fillDatabase = async (client: Client, from: string, manifest: Manifest, say: Report) => {
  await dropPartitions(client)
  for (const { parent, name, bound } of manifest.partitions)
    await client.query(`create table if not exists public.${quoted(name)} partition of public.${quoted(parent)} ${bound}`)
  const rules = await rulesOf(client)
  for (const { off } of rules) await client.query(off)
  for (const table of manifest.tables) {
    await fillTable(client, from, table)
    say(`table ${table.name}: ${table.rows} rows`)
  }
  for (const { name, last, called } of manifest.sequences)
    await client.query('select setval($1::regclass, $2::bigint, $3)', [`public.${quoted(name)}`, last, called])
  for (const { on } of rules) await client.query(on)
}

const otherContent = (at: string) =>
  new Error(`${at} already exists with other content. Restore into an empty data directory and an empty storage.`)

const fillData = async (at: string, from: string, wanted: Omit<BackupFile, 'path'>) => {
  const there = await measure(at)
  // An anchor from before the restore is kept: it shows what the restore has lost.
  if (there && /\/audit-heads\/[^/]+\.jsonl$/.test(at)) return false
  if (there && !isSame(there, wanted)) throw otherContent(at)
  if (there) return true
  // A full disk or a kill leaves no part of a file under its name, which the repeated restore would refuse.
  const part = `${at}.part`
  await rm(part, { force: true })
  await writeBackupFile(createReadStream(from), part)
  await rename(part, at)
  return true
}

const fillStored = async (storage: ArtifactStorage, key: string, from: string, wanted: Omit<BackupFile, 'path'>) => {
  const there = await measureStored(storage, key)
  if (there && !isSame(there, wanted)) throw otherContent(key)
  if (!there && !isSame(await storage.write(key, createReadStream(from)), wanted)) throw otherContent(key)
}

/** Writes the files to their places. An existing file with the same bytes is from an interrupted restore. */
const fillFiles = async (config: Config, from: string, { files }: Manifest, say: Report) => {
  const storage = await createStorage(config.storage)
  let count = 0
  for (const { path, ...wanted } of files) {
    const [folder, place, ...rest] = path.split('/')
    if (folder !== 'files') continue
    if (place === 'artifacts') await fillStored(storage, rest.at(-1) ?? '', join(from, path), wanted)
    else if (!(await fillData(join(config.dataDirectory, ...rest), join(from, path), wanted))) continue
    count += 1
  }
  say(`files: ${count}`)
}

const otherTables =
  'The database has no rows, but the tables of another version than the backup. Restore into an empty data directory or a new database.'

const verifyChains = async (client: Client): Promise<number> => {
  const db = databaseOf(client)
  const chains = await listChainIds(db)
  for (const id of chains) {
    const verdict = await verify(db, id)
    if (!verdict.whole)
      throw new Error(`The audit log ${id} fails verification at entry ${verdict.firstBad}, as it did when it was backed up.`)
  }
  return chains.length
}

/**
 * Restores a backup into an empty database and an empty storage, all rows in one transaction, after checking all of its bytes.
 */
export const restore = async (config: Config, directory: string, say: Report): Promise<void> => {
  const from = resolve(directory)
  const manifest = await readManifest(from)
  checkKey(config, manifest)
  await checkFiles(from, manifest)
  say(`backup of ${manifest.taken_at}: ${manifest.files.length} files are complete`)
  await requireOwnDirectory(config.dataDirectory)
  await mkdir(config.dataDirectory, { recursive: true, mode: 0o700 })
  const target = await openTarget(config)
  try {
    await connected(target.url, checkEmpty)
    const folder = await migrationsOf(manifest)
    await migrate({ url: target.url, folder })
      .catch((error: unknown) => {
        throw error instanceof WrongSchema ? new Error(otherTables, { cause: error }) : error
      })
      .finally(() => rm(folder, { recursive: true, force: true }))
    await connected(target.url, async (client) => {
      await client.query('begin')
      await fillDatabase(client, from, manifest, say)
      await fillFiles(config, from, manifest, say)
      say(`audit logs verified: ${await verifyChains(client)}`)
      // Partitions of the backup were created here, without their triggers.
      await client.query('select guard_audit_partitions()')
      // Before the rows count: a restore that ends now is run again, one that has committed is not.
      const anchors = await openAnchors(config.dataDirectory)
      await anchorRestore({ db: databaseOf(client), anchors, now: () => new Date() }, manifest.taken_at)
      await client.query('commit')
    })
    await migrate({ url: target.url }).catch((error: Error) => {
      throw new Error(
        `The backup is restored, but its database is not migrated to this version: ${error.message}. The next start tries it again.`,
        { cause: error },
      )
    })
  } finally {
    await target.close()
  }
}
