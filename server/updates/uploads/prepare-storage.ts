import { mkdir, stat } from 'node:fs/promises'
import type { Deps } from '../../core/deps'
import { hasStoredFiles } from './repository'

/**
 * Creates the directory of the stored files of a new installation. If there are stored files, an absent directory is one that is not
 * mounted: created, it would hide that, and each file would count as missing.
 */
export const prepareStorage = async ({ config, db, log }: Pick<Deps, 'config' | 'db' | 'log'>): Promise<void> => {
  const { storage } = config
  if (storage.kind !== 'directory' || (await stat(storage.path).catch(() => undefined))) return
  if (await hasStoredFiles(db))
    log.error({ path: storage.path }, 'the directory of the stored files is absent: it is not created')
  else await mkdir(storage.path, { recursive: true, mode: 0o700 })
}
