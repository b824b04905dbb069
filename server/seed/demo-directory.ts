import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Deps } from '../core/deps'

/** Facts about the demo for later starts, stored in `demo/demo.json` of the data directory (0600). */
export type Demo = {
  email: string
  password: string
  projectId: string
  /** The people of the demo by their role; the printed account is the owner. */
  people: { owner: string; admin: string; developer: string; operator: string }
  /** The arguments of the fleet: `--enrollment-token`, `--public-key`, `--classes`, `--installed MODEL=ID:VERSION`, `--state`. */
  fleet: { enrollmentToken: string; publicKeyPath: string; classes: string[]; installed: string[]; stateDirectory: string }
  /** Releases to be rolled out once devices have enrolled. */
  next: { model: string; releaseId: string }[]
}

type Place = Pick<Deps, 'config'>

export const directoryOf = ({ config }: Place): string => join(config.dataDirectory, 'demo')
const fileOf = (place: Place) => join(directoryOf(place), 'demo.json')

/** The demo of an earlier start, if this data directory has one. */
export const readDemo = async (place: Place): Promise<Demo | undefined> => {
  const file = fileOf(place)
  if (!existsSync(file)) return undefined
  const kept: Demo = JSON.parse(await readFile(file, 'utf8')) // Written below by this program.
  return kept
}

export const writeDemo = async (place: Place, demo: Demo): Promise<void> => {
  await mkdir(directoryOf(place), { recursive: true, mode: 0o700 })
  await writeFile(`${fileOf(place)}.new`, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600 })
  await rename(`${fileOf(place)}.new`, fileOf(place))
}
