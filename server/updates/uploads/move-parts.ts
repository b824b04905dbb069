import { randomBytes } from 'node:crypto'
import { copyFile, link, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '../../core/config'

type Needs = Pick<Config, 'dataDirectory' | 'uploadsDirectory'>

const hasCode = (error: unknown, code: string) => error instanceof Error && 'code' in error && error.code === code
const unless = (code: string) => (error: unknown) => (hasCode(error, code) ? undefined : Promise.reject(error))

const sync = async (path: string) => {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}

// An existing target stays unchanged: another process has restarted that upload, and its bytes count.
const moveFile = async (from: string, to: string) => {
  try {
    await link(from, to).catch(unless('EEXIST'))
  } catch (error) {
    if (!hasCode(error, 'EXDEV')) throw error
    const copy = `${to}.${randomBytes(6).toString('hex')}`
    await copyFile(from, copy)
    await sync(copy)
    await link(copy, to).catch(unless('EEXIST'))
    await rm(copy, { force: true })
  }
  await rm(from, { force: true })
}

/**
 * Moves unfinished uploads from the data directory, where earlier versions kept them, to the storage that all processes share.
 * Run before the API host listens. Returns how many files were moved.
 */
export const moveParts = async ({ dataDirectory, uploadsDirectory }: Needs): Promise<number> => {
  const former = resolve(dataDirectory, 'uploads')
  if (former === uploadsDirectory) return 0
  const names = (await readdir(former).catch(() => [])).filter((name) => name.endsWith('.part'))
  if (names.length === 0) return 0
  // Not the directory above: where it is absent, the storage is not mounted, and the files wait for a later start.
  const isMounted = await mkdir(uploadsDirectory, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => (hasCode(error, 'EEXIST') ? true : hasCode(error, 'ENOENT') ? false : Promise.reject(error)),
  )
  if (!isMounted) return 0
  for (const name of names) await moveFile(join(former, name), join(uploadsDirectory, name))
  await sync(uploadsDirectory)
  return names.length
}
