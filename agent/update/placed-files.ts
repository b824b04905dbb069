import { existsSync, readFileSync } from 'node:fs'
import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { array, type Infer, is, object, record, string } from 'superstruct'
import { writeAtomically } from '../core/files'
import { hashFile } from '../core/hash'
import type { Device } from '../device'
import type { Attempt } from '../state/store'
import { isWithin } from './inside'

/** A file that a release has created below the root: nothing was there before its first release. */
const PlacedFile = object({ location: string(), sha256: string() })
export type PlacedFile = Infer<typeof PlacedFile>

/** By the id of the release: the installed one, and one on trial. */
const Lists = record(string(), array(PlacedFile))
type Lists = Infer<typeof Lists>

const readLists = (path: string): Lists => {
  if (!existsSync(path)) return {}
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return is(value, Lists) ? value : {}
  } catch {
    // Without a list nothing is removed.
    return {}
  }
}

/** The files that the installed release has created, or an earlier one whose files it has kept. */
export const placedByInstalled = ({ paths, store }: Device): PlacedFile[] =>
  readLists(paths.placedFiles)[store.state.installed?.release_id ?? ''] ?? []

/** What an installation did besides placing files: those that were not there before, and how many of the former release it removed. */
export type Installation = { created: PlacedFile[]; removed: number }

/** Stores what a release on trial has created, beside the list of the installed one, which a rollback needs. */
export const recordInstallation = (
  device: Device,
  { release_id, version }: Attempt,
  { created, removed }: Installation,
): void => {
  const installed = device.store.state.installed?.release_id ?? ''
  const lists: Lists = { [installed]: placedByInstalled(device), [release_id]: created }
  writeAtomically(device.paths.placedFiles, JSON.stringify(lists))
  if (removed === 0) return
  const former = device.store.state.installed?.version
  device.log.notice(
    `Removed ${removed === 1 ? '1 file' : `${removed} files`} of version ${former} that version ${version} does not have`,
  )
}

/** The path of a file that may exist; null behind a missing folder or a link that leads out of the root. Creates nothing. */
const findInside = async (root: string, location: string): Promise<string | null> => {
  const inside = await realpath(root)
  const wanted = join(inside, join('/', location))
  const folder = await realpath(dirname(wanted)).catch(() => null)
  return folder !== null && isWithin(inside, folder) ? join(folder, basename(wanted)) : null
}

/** Of the files that the former release has created, those that are unchanged and not placed now. */
export const findStale = async (root: string, former: readonly PlacedFile[], placed: ReadonlySet<string>): Promise<string[]> => {
  const stale: string[] = []
  for (const { location, sha256 } of former) {
    const target = await findInside(root, location)
    if (target === null || placed.has(target)) continue
    const there = await lstat(target).catch(() => null)
    if (there?.isFile() && (await hashFile(target)) === sha256) stale.push(target)
  }
  return stale
}
