import type { Config } from '../config'
import type { ArtifactStorage } from '../deps'
import { directoryStorage } from './directory'

/** The storage driver that a configuration names. */
export const openStorage = async (storage: Config['storage']): Promise<ArtifactStorage> => {
  if (storage.kind === 'directory') return directoryStorage(storage.path)
  // The client of object stores takes a third of a second to load.
  const { s3Storage } = await import('./s3')
  return s3Storage(storage)
}
