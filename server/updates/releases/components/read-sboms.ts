import { buffer } from 'node:stream/consumers'
import { sbomLimits } from '../../../../contract/components'
import type { Deps } from '../../../core/deps'
import { nextId } from '../../../core/ids'
import type { AssetRow } from '../assets/repository'
import { parseSbom, type ReadSbom, RefusedSbom, tooLarge } from './parse'
import { deleteFormerSboms, listUnreadSboms, lockAssetIfSame, replaceSbom } from './repository'

const parse = async ({ storage }: Pick<Deps, 'storage'>, { storageKey, size }: AssetRow): Promise<ReadSbom | RefusedSbom> => {
  // Its bytes are not read into memory: a file of a release may have 3.5 GB.
  if (size > sbomLimits.bytes) return new RefusedSbom('', tooLarge)
  try {
    return await parseSbom(await buffer(await storage.read(storageKey ?? '')))
  } catch (error) {
    if (error instanceof RefusedSbom) return error
    throw error
  }
}

const readOne = async (deps: Pick<Deps, 'db' | 'storage' | 'clock'>, asset: AssetRow): Promise<void> => {
  const found = await parse(deps, asset)
  const now = deps.clock()
  const owner = { assetId: asset.id, projectId: asset.projectId, releaseId: asset.releaseId }
  const read = { ...owner, storageKey: asset.storageKey ?? '', readAt: now }
  await deps.db.transaction(async (tx) => {
    if (!(await lockAssetIfSame(tx, asset))) return
    if (found instanceof RefusedSbom) {
      const { field, rule } = found.problem
      const refused = { format: null, formatVersion: null, problemField: field, problemRule: rule, componentCount: 0 }
      await replaceSbom(tx, { ...read, ...refused }, [])
      return
    }
    const { format, formatVersion, components } = found
    const row = { ...read, format, formatVersion, problemField: null, problemRule: null, componentCount: components.length }
    const rows = components.map((component) => ({ id: nextId(now), ...owner, ...component }))
    await replaceSbom(tx, row, rows)
  })
}

/** Reads the components of new SBOM files. Safe to run in several processes: the last reading of the same bytes stays. */
export const readSboms = async (deps: Pick<Deps, 'db' | 'storage' | 'clock' | 'log'>, count = 20): Promise<void> => {
  await deleteFormerSboms(deps.db)
  for (const asset of await listUnreadSboms(deps.db, count))
    try {
      await readOne(deps, asset)
    } catch (error) {
      // The storage could not be read, which says nothing about the file: the next run reads it again.
      deps.log.error({ err: error, asset: asset.id }, 'the SBOM of a release could not be read')
    }
}
