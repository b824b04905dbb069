import { existsSync, type Stats, statfsSync, statSync } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { UpdateFailure } from './failure'

/** Bytes that will be written below a folder, which may not exist yet. */
export type SpaceNeed = { folder: string; bytes: number }

const margin = 1.1

const existingFolder = (folder: string): string => (existsSync(folder) ? folder : existingFolder(dirname(folder)))
const diskOf = (folder: string) => statSync(existingFolder(folder)).dev

export const isOnSameDisk = (folder: string, other: string): boolean => diskOf(folder) === diskOf(other)

/** Requires free space of at least 1.1 times the bytes on each file system that they are written to. */
export const requireSpace = (needs: readonly SpaceNeed[]): void => {
  const disks = new Map<number, { folder: string; bytes: number }>()
  for (const { folder, bytes } of needs) {
    const disk = diskOf(folder)
    disks.set(disk, { folder: existingFolder(folder), bytes: (disks.get(disk)?.bytes ?? 0) + bytes })
  }
  for (const { folder, bytes } of disks.values()) {
    const { bavail, bsize } = statfsSync(folder)
    const [needed, free] = [Math.ceil(bytes * margin), bavail * bsize]
    if (free < needed) throw new UpdateFailure('no_space', `${needed} bytes are needed in ${folder}, ${free} are free`)
  }
}

const sizeOf = async (path: string, count: (stats: Stats) => number): Promise<number> => {
  const stats = await lstat(path).catch(() => null)
  if (!stats) return 0
  if (!stats.isDirectory()) return stats.isFile() ? count(stats) : 0
  let sum = 0
  for (const name of await readdir(path)) sum += await sizeOf(join(path, name), count)
  return sum
}

/** The bytes that a copy of a folder has, which may be named by a link. */
export const copySize = async (path: string): Promise<number> =>
  sizeOf(await realpath(path).catch(() => path), ({ size }) => size)

/** The bytes that the removal of a file or folder frees; those of a file with another name stay. */
export const freedSize = (path: string): Promise<number> => sizeOf(path, ({ blocks, nlink }) => (nlink === 1 ? blocks * 512 : 0))
