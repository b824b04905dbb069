import { mkdir, open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../core/config'

/** The path of an unfinished upload. The name is the server's own id, never the client's (T-15). */
export const pathOf = ({ uploadsDirectory }: Pick<Config, 'uploadsDirectory'>, id: string): string => {
  if (!/^[0-9A-Z]{26}$/.test(id)) throw new Error('an upload is named by its id')
  return join(uploadsDirectory, `${id}.part`)
}

const isMissing = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Size of the file; 0 if it does not exist. */
export const bytesThere = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    (error: unknown) => (isMissing(error) ? 0 : Promise.reject(error)),
  )

export const beginFile = async (config: Pick<Config, 'uploadsDirectory'>, id: string): Promise<void> => {
  await mkdir(config.uploadsDirectory, { recursive: true, mode: 0o700 })
  const file = await open(pathOf(config, id), 'a', 0o600)
  await file.sync().finally(() => file.close())
  const folder = await open(config.uploadsDirectory, 'r')
  await folder.sync().finally(() => folder.close())
}

/** Syncs a file to disk, so that its length may be acknowledged (F-17). */
export const settle = async (path: string): Promise<void> => {
  const file = await open(path, 'r').catch((error: unknown) => (isMissing(error) ? undefined : Promise.reject(error)))
  await file?.sync().finally(() => file.close())
}

export const removeFile = (config: Pick<Config, 'uploadsDirectory'>, id: string): Promise<void> =>
  rm(pathOf(config, id), { force: true })
