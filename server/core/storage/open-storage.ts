import type { Config } from '../config'
import type { ArtifactStorage } from '../deps'
import { directoryStorage } from './directory'

/** The storage driver that the configuration names. */
export const openStorage = ({ storage }: Config): ArtifactStorage => {
  if (storage.kind === 'directory') return directoryStorage(storage.path)
  throw new Error('TEASEL_STORAGE: buckets are not supported yet; name a directory')
}
