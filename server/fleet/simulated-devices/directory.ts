import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { array, type Infer, integer, is, string, type } from 'superstruct'
import type { Deps } from '../../core/deps'

/** What a start needs to run the fleet of a project again: `simulated/<project>/fleet.json` of the data directory (0600). */
const Fleet = type({ seed: string(), devices: integer(), classes: array(string()), enrollment_token: string() })
export type Fleet = Infer<typeof Fleet>

type Place = Pick<Deps, 'config'>

const fleetsDirectory = ({ config }: Place) => join(config.dataDirectory, 'simulated')
export const directoryOf = (place: Place, projectId: string): string => join(fleetsDirectory(place), projectId)
export const keysFileOf = (place: Place, projectId: string): string => join(directoryOf(place, projectId), 'trusted-keys.pem')
/** Each fleet has its own devices: those of the one before were deleted or decommissioned. */
export const devicesDirectoryOf = (place: Place, projectId: string, { seed }: Fleet): string =>
  join(directoryOf(place, projectId), `devices-${seed}`)

const orMissing =
  <T>(otherwise: T) =>
  (error: NodeJS.ErrnoException) =>
    error.code === 'ENOENT' ? otherwise : Promise.reject(error)

/** The projects that have a fleet. */
export const listFleets = (place: Place): Promise<string[]> => readdir(fleetsDirectory(place)).catch(orMissing<string[]>([]))

export const readFleet = async (place: Place, projectId: string): Promise<Fleet | undefined> => {
  const text = await readFile(join(directoryOf(place, projectId), 'fleet.json'), 'utf8').catch(orMissing(undefined))
  if (text === undefined) return undefined
  const value: unknown = JSON.parse(text)
  return is(value, Fleet) ? value : undefined
}

/** Replaced by one rename, so that a kill at any moment leaves the old text or the new. */
const replaceFile = async (path: string, text: string) => {
  await writeFile(`${path}.new`, text, { mode: 0o600 })
  await rename(`${path}.new`, path)
}

export const writeFleet = async (place: Place, projectId: string, fleet: Fleet): Promise<void> => {
  const directory = directoryOf(place, projectId)
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await replaceFile(join(directory, 'fleet.json'), `${JSON.stringify(fleet, null, 2)}\n`)
}

/** The PEM of the keys that the devices trust, written only if it changed: the fleet reads it again then. */
export const writeKeys = async (place: Place, projectId: string, pem: string): Promise<void> => {
  const path = keysFileOf(place, projectId)
  if ((await readFile(path, 'utf8').catch(orMissing(undefined))) !== pem) await replaceFile(path, pem)
}

/** The serial numbers of the devices of a fleet: it has a file for each. */
export const listSerials = async (place: Place, projectId: string, fleet: Fleet): Promise<string[]> => {
  const names = await readdir(devicesDirectoryOf(place, projectId, fleet)).catch(orMissing<string[]>([]))
  return names.filter((name) => name.endsWith('.json')).map((name) => name.slice(0, -'.json'.length))
}

export const removeFleet = (place: Place, projectId: string): Promise<void> =>
  rm(directoryOf(place, projectId), { recursive: true, force: true })
