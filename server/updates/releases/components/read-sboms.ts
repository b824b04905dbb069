import { type ComponentFacts, sbomLimits } from '../../../../contract/updates/components'
import type { Deps } from '../../../core/deps'
import { defineReading } from '../../../core/reading/reading-threads'
import { storedBytes } from '../../../core/storage/stored-bytes'
import type { AssetRow } from '../assets/repository'
import type { SbomNote } from './fields'
import { type ReadSbom, tooLarge } from './parse'
import type { SbomFacts } from './read-file'
import { deleteFormerSboms, listUnreadSboms, lockAssetIfSame, replaceSbom } from './repository'

type JobDeps = Pick<Deps, 'db' | 'storage' | 'clock' | 'log'>

const readFile = defineReading<undefined, SbomFacts, ComponentFacts[]>('sbom', 'jobs')

/** Rejects if the storage cannot be read now. */
const read = async ({ storage, log }: JobDeps, { storageKey, size }: AssetRow): Promise<ReadSbom | SbomNote> => {
  // A file of a release may have 3.5 GB.
  if (size > sbomLimits.bytes) return { field: '', rule: tooLarge }
  const components: ComponentFacts[] = []
  const files = [storedBytes(storage, storageKey ?? '', size)]
  const take = (piece: ComponentFacts[]) => void components.push(...piece)
  const outcome = await readFile({ given: undefined, files, take, log })
  if (outcome.kind === 'stopped') return { field: '', rule: outcome.text }
  return outcome.result.refused ?? { ...outcome.result.read, components }
}

const readOne = async (deps: JobDeps, asset: AssetRow): Promise<void> => {
  const found = await read(deps, asset)
  const now = deps.clock()
  const { id: assetId, projectId, releaseId } = asset
  const common = { assetId, projectId, releaseId, storageKey: asset.storageKey ?? '', readAt: now }
  await deps.db.transaction(async (tx) => {
    if (!(await lockAssetIfSame(tx, asset))) return
    if ('rule' in found) {
      const refused = { format: null, formatVersion: null, problemField: found.field, problemRule: found.rule }
      await replaceSbom(tx, { ...common, ...refused, componentCount: 0, notes: [], noteCount: 0 }, [])
      return
    }
    const { components, ...facts } = found
    const row = { ...common, ...facts, problemField: null, problemRule: null, componentCount: components.length }
    await replaceSbom(tx, row, components)
  })
}

/** Reads the components of new SBOM files. Safe to run in several processes: the last reading of the same bytes stays. */
export const readSboms = async (deps: JobDeps, count = 20): Promise<void> => {
  await deleteFormerSboms(deps.db)
  for (const asset of await listUnreadSboms(deps.db, count))
    try {
      await readOne(deps, asset)
    } catch (error) {
      // The storage could not be read, which says nothing about the file: the next run reads it again.
      deps.log.error({ err: error, asset: asset.id }, 'the SBOM of a release could not be read')
    }
}
