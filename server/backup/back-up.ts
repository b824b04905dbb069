import { createReadStream, rmSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import type { Client } from 'pg'
import type { Config } from '../core/config'
import { lockPath } from '../core/database/lock'
import { keepSchema } from '../core/database/migrate'
import type { ArtifactStorage } from '../core/deps'
import { openStorage } from '../core/storage/open-storage'
import { atSignal } from './at-signal'
import { CopyOut, startCopy } from './copy'
import { connected, openSource, quoted, type Target } from './database'
import { dataFilesOf, isMissing, keysIn, pathOfStored, syncFolder, writeBackupFile } from './files'
import { type BackupFile, fingerprintOf, type Manifest, writeManifest } from './manifest'

export type Report = (text: string) => void

// Unlogged tables are left out: a crash may lose them, and so may a backup.
const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
  group by c.relname order by c.relname`
const PARTITIONS = `
  select p.relname as parent, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bound
  from pg_inherits i join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relispartition order by c.relname`
const SEQUENCES = `
  select sequencename as name, coalesce(last_value, start_value)::text as last, last_value is not null as called
  from pg_sequences where schemaname = 'public' order by 1`

// The stored files with what needs them, as people know it.
const STORED = `
  select a.storage_key as key, format('%s of release %s (version %s) in project %s', a.name, r.name, r.version, p.name) as use
  from public.assets a join public.releases r on r.id = a.release_id join public.projects p on p.id = a.project_id
  where a.storage_key is not null
  union all
  select a.storage_key, format('%s of secure-boot bundle %s (version %s) in project %s', a.file_name, b.name, b.version, p.name)
  from public.bundle_artifacts a join public.secure_boot_bundles b on b.id = a.bundle_id join public.projects p on p.id = a.project_id
  where a.storage_key is not null`
type Stored = { key: string; use: string }

const copyTable = async (client: Client, to: string, { name, columns }: { name: string; columns: string[] }) => {
  const text = `copy (select ${columns.map(quoted).join(', ')} from public.${quoted(name)}) to stdout`
  const copy = startCopy(client, new CopyOut(text))
  const packed = createGzip()
  copy.on('error', (error) => packed.destroy(error))
  const path = `tables/${name}.copy.gz`
  const file = { path, ...(await writeBackupFile(copy.pipe(packed), join(to, path))) }
  return { rows: copy.rows, file }
}

/** Copies all rows of one moment while others continue to write. */
const copyDatabase = async (client: Client, to: string, say: Report) => {
  await keepSchema(client)
  await client.query('begin isolation level repeatable read, read only')
  const all = async <T extends object>(text: string) => (await client.query<T>(text)).rows
  const found = await all<{ name: string; columns: string[] }>(TABLES)
  const [version] = await all<{ server_version: string }>('show server_version')
  const migrations = await all<{ when: number; hash: string }>(
    'select created_at as when, hash from drizzle.__drizzle_migrations order by created_at',
  )
  const partitions = await all<Manifest['partitions'][number]>(PARTITIONS)
  const sequences = await all<Manifest['sequences'][number]>(SEQUENCES)
  const stored = await all<Stored>(STORED)
  const tables: Manifest['tables'] = []
  const files: BackupFile[] = []
  for (const table of found) {
    const { rows, file } = await copyTable(client, to, table)
    tables.push({ ...table, rows })
    files.push(file)
    say(`table ${table.name}: ${rows} rows`)
  }
  await client.query('commit')
  const facts = { postgres: version?.server_version ?? '', migrations, tables, partitions, sequences }
  return { facts, files, stored }
}

/** Copies a file. One removed meanwhile is no longer needed. */
const copyFile = async (from: Readable, to: string, path: string): Promise<BackupFile[]> => {
  const facts = await writeBackupFile(from, join(to, path)).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
  return facts ? [{ path, ...facts }] : []
}

const copyData = async (config: Config, to: string): Promise<BackupFile[]> => {
  const copied: BackupFile[] = []
  for (const file of await dataFilesOf(config)) {
    const path = `files/data/${relative(config.dataDirectory, file).replaceAll('\\', '/')}`
    copied.push(...(await copyFile(createReadStream(file), to, path)))
  }
  return copied
}

/** Copies stored files that were not copied yet. */
const copyStored = async (storage: ArtifactStorage, to: string, known: readonly BackupFile[]): Promise<BackupFile[]> => {
  const there = new Set(known.map(({ path }) => path))
  const copied: BackupFile[] = []
  for (const key of await keysIn(storage)) {
    const path = pathOfStored(key)
    if (there.has(path)) continue
    const bytes = await storage.read(key).catch(async (error: unknown) => {
      if ((await storage.size(key)) !== undefined) throw error
    })
    if (bytes) copied.push(...(await copyFile(bytes, to, path)))
  }
  return copied
}

const megabytes = (files: readonly BackupFile[]) => Math.ceil(files.reduce((sum, { size }) => sum + size, 0) / 1e6)

const requireNew = async (path: string) => {
  if (await stat(path).catch(() => undefined)) throw new Error(`${path} already exists. Name a folder that does not exist.`)
}

/** What a backup has, and the files that the storage lacks. */
export type Taken = Manifest & { lost: Stored[] }

/** Copies everything into an unfinished folder. */
const fillFolder = async (config: Config, source: Target, part: string, say: Report): Promise<Taken> => {
  const storage = await openStorage(config.storage)
  await mkdir(part, { mode: 0o700 })
  const files = await copyData(config, part)
  const copyNew = async () => {
    files.push(...(await copyStored(storage, part, files)))
    say(`files: ${files.length}, ${megabytes(files)} MB`)
  }
  await copyNew()
  const { facts, files: tableFiles, stored } = await connected(source.url, (client) => copyDatabase(client, part, say))
  await copyNew()
  const there = new Set(files.map(({ path }) => path))
  const lost = stored.filter(({ key }) => !there.has(pathOfStored(key)))
  // Fails if the storage cannot be read: it lists nothing then.
  for (const { key } of lost)
    if ((await storage.size(key)) !== undefined) throw new Error(`The stored file ${key} could not be copied.`)
  for (const { key, use } of lost) say(`missing in the storage, and so in the backup: ${key}, ${use}`)
  if (lost.length > 0)
    say(
      'everything else is in the backup and can be restored. Put each missing file back into the storage under its name, from an older backup, or delete what needs it; until then each backup exits with 1',
    )
  const manifest: Manifest = {
    format: 1,
    taken_at: new Date().toISOString(),
    secret_key: fingerprintOf(config.secretKey),
    ...facts,
    files: [...tableFiles, ...files],
  }
  await writeManifest(part, manifest)
  await syncFolder(part)
  return { ...manifest, lost }
}

/**
 * Copies the whole installation into a new folder while it runs: the rows of one moment, artifacts, keys. Files are copied
 * before the rows, since files named by rows must exist, and artifacts once more after them; an artifact never changes once it
 * is written.
 */
export const backUp = async (config: Config, directory: string, say: Report): Promise<Taken> => {
  const to = resolve(directory)
  const part = `${to}.part`
  const copied = [config.dataDirectory, ...(config.storage.kind === 'directory' ? [config.storage.path] : [])]
  const inside = copied.find((path) => `${to}/`.startsWith(`${path}/`))
  if (inside !== undefined) throw new Error(`${to} is inside ${inside}, which is copied. Name a folder outside of it.`)
  const lock = await lockPath(part, `A backup to ${to} is running already.`)
  const forget = atSignal(async () => rmSync(part, { recursive: true, force: true }))
  let source: Target | undefined
  try {
    await requireNew(to)
    // Left by a backup that was killed.
    await rm(part, { recursive: true, force: true })
    source = await openSource(config)
    const taken = await fillFolder(config, source, part, say)
    // The backup appears complete or not at all.
    await rename(part, to)
    await syncFolder(dirname(to))
    return taken
  } catch (error) {
    await rm(part, { recursive: true, force: true })
    throw error
  } finally {
    await source?.close()
    forget()
    await lock.release()
  }
}
