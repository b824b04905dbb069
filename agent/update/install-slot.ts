import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, rmSync, statSync } from 'node:fs'
import { copyFile, cp, lstat, open, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Transform } from 'node:stream'
import type { Manifest } from '../../contract/device/manifest'
import { makeDirectory, syncDirectory, writeAtomically } from '../core/files'
import { copyByProgram, copyOwners, syncTree } from './copied-tree'
import { isWithin, resolveInside } from './inside'
import { modeOfPlaced, type Placement, setOwnerAndMode } from './install-files'
import { findStale, type Installation, type PlacedFile } from './placed-files'

const syncFile = async (path: string) => {
  const handle = await open(path, 'r+')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const isDirectory = async (path: string) => (await stat(path).catch(() => null))?.isDirectory() ?? false

/** Whether a slot is a file or device that takes an image, instead of a folder. */
export const isRawSlot = (slot: string): boolean => !(statSync(slot, { throwIfNoEntry: false })?.isDirectory() ?? true)

/** Removes the content of a slot that was not written completely. A raw one keeps its size, so there is nothing to free. */
export const discardSlot = (slot: string): void => {
  if (!isRawSlot(slot)) rmSync(slot, { recursive: true, force: true })
}

/** Hashes as many bytes as were written: a block device is longer than its image. */
const hashHead = async (path: string, size: number) => {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { start: 0, end: size - 1 })) hash.update(piece as Buffer)
  return hash.digest('hex')
}

/** Creates the folder of a slot again. */
const createSlot = async (slot: string): Promise<void> => {
  await rm(slot, { recursive: true, force: true })
  makeDirectory(slot, 0o755)
}

/** Writes an image to a slot: into its directory, or directly onto the file or device of the configuration. */
export const writeImage = async (
  source: string,
  image: { size: number; sha256: string },
  slot: string,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> => {
  const raw = isRawSlot(slot)
  const target = raw ? slot : join(slot, 'rootfs.img')
  if (!raw) await createSlot(slot)
  let written = 0
  const count = new Transform({
    transform(piece: Buffer, _, next) {
      written += piece.length
      onBytes(written)
      next(null, piece)
    },
  })
  await pipeline(
    createReadStream(source, { highWaterMark: 1 << 20 }),
    count,
    createWriteStream(target, { flags: raw ? 'r+' : 'w' }),
  )
  await syncFile(target)
  if (!raw) syncDirectory(slot)
  if ((await hashHead(target, image.size)) !== image.sha256) throw new Error(`${target} differs from the data written to it`)
}

/**
 * Copies the tree of the running slot to the other one, installs the files of the release over it, and removes the unchanged files of
 * the former release that this one does not have; all of it is on disk at the end. The running slot is not changed.
 */
export const writeTree = async (
  files: readonly Placement[],
  from: string,
  slot: string,
  former: readonly PlacedFile[] = [],
  onPlaced: (count: number) => void = () => {},
): Promise<Installation> => {
  if (isRawSlot(slot)) throw new Error(`${slot} needs an image, not files`)
  await createSlot(slot)
  if (await isDirectory(from)) {
    // The slot's own path may be a symbolic link, which is not part of the tree.
    const running = await realpath(from)
    if (isWithin(running, slot) || !(await copyByProgram(running, slot))) {
      await createSlot(slot)
      await cp(running, slot, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
      await copyOwners(running, slot)
    }
  }
  const kept = new Set(former.map(({ location }) => location))
  const created: PlacedFile[] = []
  const targets = new Set<string>()
  for (const [at, file] of files.entries()) {
    // The copied tree contains the running slot's links: an absolute one would lead back into the running slot.
    const target = await resolveInside(slot, file.location)
    const there = await lstat(target).catch(() => null)
    if (!there || kept.has(file.location)) created.push({ location: file.location, sha256: file.sha256 })
    targets.add(target)
    await rm(target, { force: true })
    await copyFile(file.source, target)
    await setOwnerAndMode(target, modeOfPlaced(file, there), there?.isFile() ? there : {})
    onPlaced(at + 1)
  }
  const stale = await findStale(slot, former, targets)
  for (const target of stale) await rm(target, { force: true })
  await syncTree(slot)
  return { created, removed: stale.length }
}

/** Writes the version next to the bytes, so that a slot can be identified without the agent. */
export const labelSlot = async (slot: string, { id, name, version }: Manifest): Promise<void> => {
  if (await isDirectory(slot)) writeAtomically(join(slot, 'release.json'), `${JSON.stringify({ id, name, version })}\n`, 0o644)
}
