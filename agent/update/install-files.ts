import { createHash } from 'node:crypto'
import { constants, existsSync, readFileSync, rmSync, type Stats } from 'node:fs'
import { chmod, chown, copyFile, link, lstat, open, readlink, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { array, boolean, type Infer, integer, is, object, optional, string } from 'superstruct'
import { makeDirectory, syncDirectory, writeAtomically } from '../core/files'
import { hashFile } from '../core/hash'
import { copyAttributes } from './copied-tree'
import { isWithin, resolveInside } from './inside'
import { findStale, type Installation, type PlacedFile } from './placed-files'

/** One file to install: the source of its bytes, its path below the root, and its mode; null for that of the file it replaces. */
export type Placement = { source: string; sha256: string; location: string; mode: number | null }

/** Without a mode in the manifest, a program that is replaced stays executable. The bits that run as the owner are not kept. */
export const modeOfPlaced = ({ mode }: Placement, replaced: Stats | null): number =>
  mode ?? (replaced?.isFile() ? replaced.mode & 0o777 : 0o644)

/** What was at a target: a file (`existed`), a symbolic link to `link`, or nothing. Journals of older agents have no `link` or owner. */
const Saved = object({
  target: string(),
  existed: boolean(),
  mode: integer(),
  link: optional(string()),
  uid: optional(integer()),
  gid: optional(integer()),
})
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
  // A rollback could not restore a device, a pipe or a socket.
  if (there && !there.isFile() && !there.isSymbolicLink()) throw new Error(`${location} is neither a file nor a link`)
  return target
}

type Owner = { uid?: number | undefined; gid?: number | undefined }

/** Gives a file its owner and mode; an owner that this process may not give is left out, with the bits that run as the owner. */
export const setOwnerAndMode = async (path: string, mode: number, { uid, gid }: Owner): Promise<void> => {
  const there = await stat(path)
  const [owner, group] = [uid ?? there.uid, gid ?? there.gid]
  const isOwned =
    (owner === there.uid && group === there.gid) ||
    (await chown(path, owner, group).then(
      () => true,
      () => false,
    ))
  // After chown, which clears setuid and setgid.
  await chmod(path, isOwned ? mode : mode & 0o777)
}

/** Always the same one for a path: what a kill has left there is replaced, or removed by a rollback. */
const temporaryOf = (target: string): string =>
  join(dirname(target), `.teasel-${createHash('sha256').update(target).digest('hex').slice(0, 8)}.new`)

/** Replaces a path by what `create` makes at a temporary one, by one rename. */
const replace = async (target: string, create: (fresh: string) => Promise<void>): Promise<void> => {
  const fresh = temporaryOf(target)
  try {
    await rm(fresh, { force: true })
    await create(fresh)
    await rename(fresh, target)
  } finally {
    await rm(fresh, { force: true })
  }
  syncDirectory(dirname(target))
}

/**
 * Moves a file to its path by one rename. On the same file system it is linked rather than copied. `isOriginal`: it is the former file
 * with its attributes.
 */
const place = (source: string, target: string, mode: number, owner: Owner, isOriginal = false): Promise<void> =>
  replace(target, async (fresh) => {
    const alone = (await stat(source)).nlink === 1
    const linked =
      alone &&
      (await link(source, fresh).then(
        () => true,
        () => false,
      ))
    if (!linked) await copyFile(source, fresh, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    if (!linked && isOriginal) await copyAttributes(source, fresh)
    await setOwnerAndMode(fresh, mode, owner)
    await sync(fresh)
  })

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
const save = async (targets: readonly string[], backup: string): Promise<Journal> => {
  await rm(backup, { recursive: true, force: true })
  makeDirectory(backup)
  const files: Journal['files'] = []
  for (const [at, target] of targets.entries()) {
    const there = await lstat(target).catch(() => null)
    const existed = there?.isFile() ?? false
    if (existed) {
      const copy = join(backup, String(at))
      await copyFile(target, copy, constants.COPYFILE_FICLONE)
      await copyAttributes(target, copy)
      await sync(copy)
    }
    files.push({
      target,
      existed,
      mode: (there?.mode ?? 0o644) & 0o7777,
      ...(existed && there && { uid: there.uid, gid: there.gid }),
      ...(there?.isSymbolicLink() && { link: await readlink(target) }),
    })
  }
  writeAtomically(journalOf(backup), JSON.stringify({ files }))
  return { files }
}

/** Removes a backup without a journal: nothing was replaced yet. */
export const discardIncompleteBackup = (backup: string): void => {
  if (!existsSync(journalOf(backup))) rmSync(backup, { recursive: true, force: true })
}

const isInPlace = async (target: string, { sha256, mode }: Placement) => {
  const there = await lstat(target).catch(() => null)
  return (
    there !== null && there.isFile() && (mode === null || (there.mode & 0o777) === mode) && (await hashFile(target)) === sha256
  )
}

type Where = { root: string; backup: string; own: string; former?: readonly PlacedFile[] }

/**
 * Installs files below the root, each by one rename, after saving all of the old ones, and removes the unchanged files of the former
 * release that this one does not have. Killed at any point and called again, it continues; `restoreFiles` brings the old ones back at
 * any point.
 */
export const installFiles = async (
  files: readonly Placement[],
  { root, backup, own, former = [] }: Where,
  onPlaced: (count: number) => void = () => {},
): Promise<Installation> => {
  makeDirectory(root, 0o755)
  const targets: string[] = []
  for (const { location } of files) targets.push(await targetOf(root, location, own))
  const stale = await findStale(root, former, new Set(targets))
  const saved = (readJournal(backup) ?? (await save([...targets, ...stale], backup))).files
  for (const [at, file] of files.entries()) {
    const target = targets[at] ?? ''
    if (!(await isInPlace(target, file))) {
      // The manifest names no owner: a program that may write its file may still do so.
      const there = await lstat(target).catch(() => null)
      await place(file.source, target, modeOfPlaced(file, there), there?.isFile() ? { uid: there.uid, gid: there.gid } : {})
    }
    onPlaced(at + 1)
  }
  const wasFile = new Set(saved.filter(({ existed }) => existed).map(({ target }) => target))
  for (const target of stale.filter((one) => wasFile.has(one))) {
    await rm(target, { force: true })
    syncDirectory(dirname(target))
  }
  // By the journal, so that a repetition after a kill counts what was removed before it.
  const removed = saved.slice(files.length).filter(({ target }) => !existsSync(target)).length
  const wasThere = new Set(saved.filter(({ existed, link: to }) => existed || to !== undefined).map(({ target }) => target))
  const kept = new Set(former.map(({ location }) => location))
  const created = files.filter(({ location }, at) => !wasThere.has(targets[at] ?? '') || kept.has(location))
  return { created: created.map(({ location, sha256 }) => ({ location, sha256 })), removed }
}

/** Restores the saved files and links, and removes what did not exist before. Safe to repeat. */
export const restoreFiles = async (backup: string): Promise<void> => {
  const journal = readJournal(backup)
  for (const [at, { target, existed, mode, link: former, uid, gid }] of journal?.files.entries() ?? []) {
    if (existed) await place(join(backup, String(at)), target, mode, { uid, gid }, true)
    else if (former !== undefined) await replace(target, (fresh) => symlink(former, fresh))
    else {
      for (const path of [temporaryOf(target), target]) await rm(path, { force: true })
      syncDirectory(dirname(target))
    }
  }
}
