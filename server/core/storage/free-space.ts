import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Deps } from '../deps'

type Needs = Pick<Deps, 'config' | 'diskSpace' | 'log'>

/** Space of a file system, in bytes. */
export type DiskSpace = { free: number; total: number }

/** Of the nearest folder that exists. A directory is not created for this: it may be absent because its file system is not mounted. */
const ofFileSystem = async (directory: string): Promise<DiskSpace> => {
  try {
    const { bavail, blocks, bsize } = await statfs(directory)
    return { free: bavail * bsize, total: blocks * bsize }
  } catch (error) {
    const above = dirname(directory)
    if (above === directory || !(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return ofFileSystem(above)
  }
}

/** Free bytes of a directory above the limit (F-19); negative below it. The larger of both limits applies. */
export const bytesAboveLimit = async (
  { config, diskSpace = ofFileSystem }: Omit<Needs, 'log'>,
  directory: string,
): Promise<number> => {
  const { free, total } = await diskSpace(directory)
  const { freeBytes, freePercent } = config.limits
  return free - Math.max(freeBytes, (total * freePercent) / 100)
}

// The data directory holds the embedded database and the logs; the storage may be on another disk.
const isBelowLimit = async (deps: Needs): Promise<boolean> => {
  const { dataDirectory, uploadsDirectory } = deps.config
  const spaces = await Promise.all([dataDirectory, uploadsDirectory].map((directory) => bytesAboveLimit(deps, directory)))
  return spaces.some((bytes) => bytes < 0)
}

export type FreeSpace = {
  /** Reads the free space of the server's disks, at most a few times a second. */
  isLow: () => Promise<boolean>
  /** The last value read, without waiting; one older than a second is refreshed in the background. */
  wasLow: () => boolean
}

const goodForMs = 1000
/** Hundreds of batches a second ask: four calls of the file system for each cost more than to read its body. */
const freshForMs = 200

/** Watches whether a disk of this server is below the limit of free space (F-19). Each change is logged. */
export const watchFreeSpace = (deps: Needs): FreeSpace => {
  let low = false
  let readAt = Number.NEGATIVE_INFINITY
  let source: Needs['diskSpace']
  let reading: Promise<boolean> | undefined
  const read = async () => {
    source = deps.diskSpace
    const now = await isBelowLimit(deps)
    readAt = performance.now()
    if (now !== low)
      deps.log.warn(
        now ? 'disk space is low: large writes are refused' : 'disk space is sufficient: large writes are accepted again',
      )
    low = now
    return now
  }
  const isFresh = () => performance.now() - readAt < freshForMs && source === deps.diskSpace
  const isLow = async () => (isFresh() ? low : (reading ??= read().finally(() => (reading = undefined))))
  return {
    isLow,
    wasLow: () => {
      if (performance.now() - readAt > goodForMs)
        void isLow().catch((error: unknown) => deps.log.error(error, 'the disks could not be read'))
      return low
    },
  }
}
