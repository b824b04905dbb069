import { type Config, readConfig } from '../core/config'
import type { ArtifactStorage } from '../core/deps'
import { openStorage } from '../core/storage/open-storage'
import type { Report } from './back-up'
import { connected, openSource } from './database'
import { createStorage, isSame, measureStored } from './files'

type Stored = { key: string; size: number; sha256: string }

// Files without a hash are not verified yet: their upload has not ended.
const STORED = `
  select storage_key as key, size::float8 as size, sha256 from public.assets where storage_key is not null and sha256 is not null
  union
  select storage_key, size::float8, sha256 from public.bundle_artifacts where storage_key is not null and sha256 is not null
  order by key`

const listStored = async (config: Config): Promise<Stored[]> => {
  const source = await openSource(config)
  return connected(source.url, async (client) => (await client.query<Stored>(STORED)).rows).finally(source.close)
}

export type Copied = { copied: number; present: number; failed: string[] }

/** Copies one file; false if the source has no correct bytes of it. What the target then holds was read again and verified. */
const copyOne = async (from: ArtifactStorage, to: ArtifactStorage, { key, ...wanted }: Stored): Promise<boolean> => {
  if ((await from.size(key)) !== wanted.size) return false
  const isCorrect = isSame(await to.write(key, await from.read(key)), wanted) && isSame(await measureStored(to, key), wanted)
  if (!isCorrect) await to.remove(key)
  return isCorrect
}

/**
 * Copies the files of releases and secure boot bundles into another storage and verifies each by its hash in the database. Run
 * again, it copies what is missing or wrong, and verifies the rest.
 */
export const copyFiles = async (config: Config, target: Config['storage'], say: Report): Promise<Copied> => {
  if (JSON.stringify(config.storage) === JSON.stringify(target))
    throw new Error('copy-files: name another storage than the current one')
  const [from, to] = [await openStorage(config.storage), await createStorage(target)]
  const result: Copied = { copied: 0, present: 0, failed: [] }
  for (const file of await listStored(config)) {
    if (isSame(await measureStored(to, file.key), file)) result.present += 1
    else if (await copyOne(from, to, file)) result.copied += 1
    else {
      result.failed.push(file.key)
      say(`not copied, because it is missing or damaged: ${file.key}`)
    }
  }
  return result
}

/** `copy-files STORAGE`, with the variables of the installation. Returns the exit code. */
export const runCopyFilesCommand = async (target: string | undefined): Promise<number> => {
  if (target === undefined || target === '') throw new Error('copy-files: name a directory, or s3://bucket/prefix')
  const say = (text: string) => void process.stdout.write(`${text}\n`)
  const other = readConfig({ ...process.env, TEASEL_STORAGE: target })
  const { copied, present, failed } = await copyFiles(readConfig(), other.storage, say)
  say(`files copied: ${copied}, present and verified: ${present}, failed: ${failed.length}`)
  return failed.length === 0 ? 0 : 1
}
