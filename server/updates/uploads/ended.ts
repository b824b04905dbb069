import type { Tx } from '../../core/database/tx'
import type { Deps } from '../../core/deps'
import { incomingOf } from '../../core/storage/directory-incoming'
import type { EndUploads } from '../releases/callbacks'
import {
  clearOffsets,
  endOpenUploadsOfBundle,
  endOpenUploadsOfOwner,
  endOpenUploadsOfProject,
  endOpenUploadsOfRelease,
  endOpenUploadsOfTarget,
} from './repository'

/**
 * Removes the bytes of uploads that have ended or are deleted. Bytes left by a process that dies first are removed by the
 * sweep.
 */
export const discardParts = async (deps: Pick<Deps, 'db' | 'config' | 'storage'>, ids: readonly string[]): Promise<void> => {
  const incoming = incomingOf(deps)
  for (const id of ids) await incoming.remove(id)
  if (ids.length > 0) await clearOffsets(deps.db, ids)
}

/** Ends the open uploads of a deleted project. Returns a function that removes their bytes after the commit. */
export const endUploadsOfProject = async (tx: Tx, deps: Deps, projectId: string): Promise<() => Promise<void>> => {
  const ended = await endOpenUploadsOfProject(tx, projectId, 'The project was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a person whose account is deleted. */
export const endUploadsOfOwner = async (tx: Tx, deps: Deps, ownerId: string): Promise<() => Promise<void>> => {
  const ended = await endOpenUploadsOfOwner(tx, ownerId, 'The account was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a deleted release. */
export const endUploadsOfRelease: EndUploads = async (tx, deps, releaseId) => {
  const ended = await endOpenUploadsOfRelease(tx, releaseId, 'The release was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a deleted secure boot bundle. */
export const endUploadsOfBundle: EndUploads = async (tx, deps, bundleId) => {
  const ended = await endOpenUploadsOfBundle(tx, bundleId, 'The bundle was deleted')
  return () => discardParts(deps, ended)
}

/** The same for a file that is removed from its bundle. */
export const endUploadsOfArtifact: EndUploads = async (tx, deps, id) => {
  const ended = await endOpenUploadsOfTarget(tx, id, 'The file was removed from the bundle')
  return () => discardParts(deps, ended)
}

/** The same for a file that is removed from its release. */
export const endUploadsOfAsset: EndUploads = async (tx, deps, id) => {
  const ended = await endOpenUploadsOfTarget(tx, id, 'The file was removed from the release')
  return () => discardParts(deps, ended)
}
