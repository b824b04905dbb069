import { spawn } from 'node:child_process'
import { constants } from 'node:fs'
import { chmod, lchown, lstat, open, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** Every file and folder of a tree, each folder after its content; links are not followed. */
async function* walk(path: string): AsyncGenerator<string> {
  const stats = await lstat(path)
  if (stats.isDirectory()) for (const name of await readdir(path)) yield* walk(join(path, name))
  yield path
}

/** Gives the copies the owners of their originals, which a copy by Node does not have. Only root may do that. */
export const copyOwners = async (from: string, to: string): Promise<void> => {
  if (process.getuid?.() !== 0) return
  for await (const copy of walk(to)) {
    const original = await lstat(join(from, copy.slice(to.length))).catch(() => null)
    const { uid, gid } = await lstat(copy)
    if (!original || (original.uid === uid && original.gid === gid)) continue
    await lchown(copy, original.uid, original.gid)
    // chown clears setuid and setgid.
    if (!original.isSymbolicLink()) await chmod(copy, original.mode & 0o7777)
  }
}

/** False where there is no such program, or it fails. */
const runProgram = (name: string, parameters: readonly string[]): Promise<boolean> =>
  new Promise((resolve) => {
    const child = spawn(name, parameters, { stdio: 'ignore' })
    child.once('error', () => resolve(false))
    child.once('close', (code) => resolve(code === 0))
  })

/** Syncs the file system of a path at once: one call instead of one for each file. */
const syncFileSystem = (path: string): Promise<boolean> => runProgram('sync', ['-f', path])

/**
 * Copies the content of a folder with what Node does not copy: extended attributes, which hold capabilities and the labels of
 * SELinux, owners, hard links, pipes and devices.
 */
export const copyByProgram = (from: string, to: string): Promise<boolean> => runProgram('cp', ['-a', `${from}/.`, to])

/** Gives a copy the extended attributes of its original, where the program cp of GNU is installed. Others have no such option. */
export const copyAttributes = (from: string, to: string): Promise<boolean> =>
  runProgram('cp', ['--attributes-only', '--preserve=all', from, to])

const syncEach = async (tree: string): Promise<void> => {
  for await (const path of walk(tree)) {
    const stats = await lstat(path)
    // A link is durable with its folder; opening a pipe or a device would have effects.
    if (!stats.isFile() && !stats.isDirectory()) continue
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EACCES') throw error
      return null
    })
    try {
      await handle?.sync()
    } finally {
      await handle?.close()
    }
  }
}

/** Makes a whole tree durable: nothing of it may be missing after a power cut once the bootloader is told to start it. */
export const syncTree = async (tree: string): Promise<void> => {
  if (!(await syncFileSystem(tree))) await syncEach(tree)
}
