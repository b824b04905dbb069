import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { modeBytes, usualMode } from '../../contract/updates/file-modes'
import type { Asset } from '../../contract/updates/release-assets'
import type { Release } from '../../contract/updates/releases'
import { Failed, Usage } from '../core/errors'

/** A file of this machine as a release shall contain it. */
export type LocalFile = {
  path: string
  name: string
  kind: Asset['kind']
  size: number
  sha256: string
  install_location: string | null
  mode: string | null
  /** Without a mode in the command: of a file that is new in its release. One that is there keeps its own. */
  usualMode: '0755' | '0644'
}

const kindOf: Record<Release['type'], Asset['kind']> = {
  file: 'payload',
  zip_archive: 'archive',
  rootfs: 'rootfs',
  bundle: 'bundle',
}
/** SWUpdate's delta handler reads ranges of .zck files, which are no bundles. */
const kindFor = (path: string, type: Release['type']) => (type === 'bundle' && path.endsWith('.zck') ? 'delta' : kindOf[type])
const needsLocation: readonly Release['type'][] = ['file', 'zip_archive']

const readFacts = async (path: string) => {
  try {
    const { size, mode } = await stat(path)
    const hash = createHash('sha256')
    await pipeline(createReadStream(path), hash)
    const head = await buffer(createReadStream(path, { end: modeBytes - 1 }))
    const name = basename(path)
    // What a pipeline hands on has often lost its bits.
    const canRun = (mode & 0o111) !== 0
    return { path, name, size, sha256: hash.digest('hex'), usualMode: canRun ? ('0755' as const) : usualMode(name, head) }
  } catch (error) {
    throw new Failed(error instanceof Error ? error.message : String(error))
  }
}

/** `FILE`, `FILE=/path/on/the/device` or `FILE=/path/on/the/device:0755`. */
export const readPayload = async (argument: string, type: Release['type']): Promise<LocalFile> => {
  const [, path = argument, location = null, mode = null] = /^(.+?)=(\/.+?)(?::(0[0-7]{3}))?$/.exec(argument) ?? []
  if (location === null && needsLocation.includes(type))
    throw new Usage(`${argument}: a release of this kind needs the path on the device: ${argument}=/opt/app/${basename(path)}`)
  return { ...(await readFacts(path)), kind: kindFor(path, type), install_location: location, mode }
}

export const readSbom = async (path: string): Promise<LocalFile> => ({
  ...(await readFacts(path)),
  kind: 'sbom',
  install_location: null,
  mode: null,
})
