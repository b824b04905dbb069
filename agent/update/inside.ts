import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeDirectory } from '../core/files'

export const isWithin = (root: string, path: string): boolean => root === '/' || path === root || path.startsWith(`${root}/`)

/**
 * The resolved path of a file below `root`; missing folders are created. A symbolic link that leads out of `root` is refused
 * before anything is created behind it.
 */
export const resolveInside = async (root: string, location: string): Promise<string> => {
  const inside = await realpath(root)
  const wanted = join('/', location)
  let folder = inside
  for (const name of dirname(wanted).split('/').filter(Boolean)) {
    const next = join(folder, name)
    const there = await lstat(next).catch(() => null)
    if (!there) makeDirectory(next, 0o755)
    folder = there?.isSymbolicLink() ? await realpath(next).catch(() => '') : next
    if (folder === '' || !isWithin(inside, folder)) throw new Error(`${location} leads outside ${root}: ${next} is a link`)
  }
  return join(folder, basename(wanted))
}
