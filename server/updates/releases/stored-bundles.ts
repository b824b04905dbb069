import type { Bundle } from '../../../contract/ddi/bundle'
import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { refuse, refuseField } from '../../core/http/refuse'
import { defineReading } from '../../core/reading/reading-threads'
import { storedBytes } from '../../core/storage/stored-bytes'
import { type AssetRow, listReadyAssets } from './assets/repository'
import type { FoundBundle } from './read-update-bundle'

const readFile = defineReading<undefined, FoundBundle>('update-bundle', 'requests')

/** The bundles of a release by the key of their bytes: what they are, or why they could not be read. */
export type StoredBundles = ReadonlyMap<string, FoundBundle | { stopped: string }>

/** Reads the bundles of a draft, before the transaction that uses them: it must not wait for a thread. */
export const readStoredBundles = async (tx: Tx, { storage, log }: Deps, releaseId: string): Promise<StoredBundles> => {
  const found = new Map<string, FoundBundle | { stopped: string }>()
  // A release has one; more are refused.
  const files = (await listReadyAssets(tx, releaseId)).filter(({ kind }) => kind === 'bundle').slice(0, 1)
  for (const { storageKey, size } of files) {
    const key = storageKey ?? ''
    const outcome = await readFile({ given: undefined, files: [storedBytes(storage, key, size)], log })
    found.set(key, outcome.kind === 'read' ? outcome.result : { stopped: outcome.text })
  }
  return found
}

/** What the stored bytes of this file are; undefined for another format. */
export const findStoredBundle = (bundles: StoredBundles, { name, storageKey }: AssetRow): Bundle | undefined => {
  const found = bundles.get(storageKey ?? '')
  if (found === undefined) return refuse(409, 'conflict', { message: `${name} was replaced meanwhile. Try again` })
  if (found !== null && 'stopped' in found) return refuseField('assets', 'unreadable', `${name}: ${found.stopped}`)
  return found ?? undefined
}
