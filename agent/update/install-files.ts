import { randomBytes } from 'node:crypto'
import { constants, existsSync, readFileSync, rmSync } from 'node:fs'
import { chmod, copyFile, link, lstat, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { array, boolean, type Infer, integer, is, object, string } from 'superstruct'
import { makeDirectory, syncDirectory, writeAtomically } from '../core/files'
import { hashFile } from '../core/hash'
import { isWithin, resolveInside } from './inside'

/** One file to install: the source of its bytes, its path below the root, and its mode. */
export type Placement = { source: string; sha256: string; location: string; mode: number }

const Saved = object({ target: string(), existed: boolean(), mode: integer() })
const Journal = object({ files: array(Saved) })
type Journal = Infer<typeof Journal>

const journalOf = (backup: string) => join(backup, 'journal.json')

const sync = async (path: string) => {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * The path of a file below the root, with its folders created; a link that leads out of the root, or into a forbidden folder,
 * is refused.
 */
const targetOf = async (root: string, location: string, forbidden: string): Promise<string> => {
  const target = await resolveInside(root, location)
  const own = await realpath(forbidden)
  if (isWithin(own, dirname(target))) throw new Error(`${location} is in the agent's own directory`)
  const there = await lstat(target).catch(() => null)
  if (there?.isDirectory()) throw new Error(`${location} is a directory`)
  return target
}

/** Moves a file to its path by one rename. On the same file system it is linked rather than copied. */
const place = async (source: string, target: string, mode: number): Promise<void> => {
  const fresh = join(dirname(target), `.teasel-${randomBytes(4).toString('hex')}.new`)
  try {
    const alone = (await stat(source)).nlink === 1
    const linked =
      alone &&
      (await link(source, fresh).then(
        () => true,
        () => false,
      ))
    if (!linked) await copyFile(source, fresh, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await chmod(fresh, mode)
    await sync(fresh)
    await rename(fresh, target)
  } finally {
    await rm(fresh, { force: true })
  }
  syncDirectory(dirname(target))
}

const readJournal = (backup: string): Journal | null => {
  if (!existsSync(journalOf(backup))) return null
  const value: unknown = JSON.parse(readFileSync(journalOf(backup), 'utf8'))
  if (!is(value, Journal)) throw new Error(`${journalOf(backup)} is not a journal`)
  return value
}

/**
 * Copies the files that will be replaced. The journal is written last, so that a backup without one is incomplete and is made
 * again.
 */
const save = async (targets: readonly string[], backup: string): Promise<void> => {
  await rm(backup, { recursive: true, force: true })
  makeDirectory(backup)
  const files: Journal['files'] = []
  for (const [at, target] of targets.entries()) {
    const there = await lstat(target).catch(() => null)
    const existed = there?.isFile() ?? false
    if (existed) {
      await copyFile(target, join(backup, String(at)), constants.COPYFILE_FICLONE)
      await sync(join(backup, String(at)))
    }
    files.push({ target, existed, mode: (there?.mode ?? 0o644) & 0o777 })
  }
  writeAtomically(journalOf(backup), JSON.stringify({ files }))
}

/** Removes a backup without a journal: nothing was replaced yet. */
export const discardIncompleteBackup = (backup: string): void => {
  if (!existsSync(journalOf(backup))) rmSync(backup, { recursive: true, force: true })
}

const isInPlace = async (target: string, { sha256, mode }: Placement) => {
  const there = await lstat(target).catch(() => null)
  return there !== null && there.isFile() && (there.mode & 0o777) === mode && (await hashFile(target)) === sha256
}

/**
 * Installs files below the root, each by one rename, after saving all of the old ones. Killed at any point and called again, it
 * continues; `restoreFiles` brings the old ones back at any point.
 */
export const installFiles = async (
  files: readonly Placement[],
  { root, backup, own }: { root: string; backup: string; own: string },
  onPlaced: (count: number) => void = () => {},
): Promise<void> => {
  await mkdir(root, { recursive: true, mode: 0o755 })
  const targets: string[] = []
  for (const { location } of files) targets.push(await targetOf(root, location, own))
  if (!readJournal(backup)) await save(targets, backup)
  for (const [at, file] of files.entries()) {
    const target = targets[at] ?? ''
    if (!(await isInPlace(target, file))) await place(file.source, target, file.mode)
    onPlaced(at + 1)
  }
}

/** Restores the saved files and removes those that did not exist before. Safe to repeat. */
export const restoreFiles = async (backup: string): Promise<void> => {
  const journal = readJournal(backup)
  for (const [at, { target, existed, mode }] of journal?.files.entries() ?? []) {
    if (existed) await place(join(backup, String(at)), target, mode)
    else {
      await rm(target, { force: true })
      syncDirectory(dirname(target))
    }
  }
}
