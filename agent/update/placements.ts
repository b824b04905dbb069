import { existsSync } from 'node:fs'
import type { Manifest } from '../../contract/device/manifest'
import type { Device } from '../device'
import { subjectOf } from '../state/outbox'
import type { Attempt } from '../state/store'
import type { Placement } from './install-files'
import { listArchive, unpack } from './zip'

const modeOf = (mode: string | null) => (mode === null ? null : Number.parseInt(mode, 8))

/** What is installed where: payloads as they are, an archive as the files in it. */
export const placements = async ({ paths }: Device, manifest: Manifest): Promise<Placement[]> => {
  const found: Placement[] = []
  for (const { kind, sha256, install_location: location, mode } of manifest.files) {
    if (location === null) continue
    if (kind === 'payload') found.push({ source: paths.blob(sha256), sha256, location, mode: modeOf(mode) })
    if (kind === 'archive')
      for (const file of await unpack(paths.blob(sha256), paths.unpacked))
        found.push({ ...file, location: `${location}/${file.name}` })
  }
  return found
}

/** What will be installed where, with its size, before an archive is unpacked; the files of a missing archive are not known. */
export const plannedFiles = async (
  { paths }: Device,
  manifest: Manifest,
): Promise<{ location: string; size: number; unpacked: boolean }[]> => {
  const found: { location: string; size: number; unpacked: boolean }[] = []
  for (const { kind, sha256, size, install_location: location } of manifest.files) {
    if (location === null) continue
    if (kind === 'payload') found.push({ location, size, unpacked: false })
    if (kind === 'archive' && existsSync(paths.blob(sha256)))
      // One that cannot be read is not what was signed, or its installation refuses it.
      for (const file of await listArchive(paths.blob(sha256)).catch(() => []))
        found.push({ location: `${location}/${file.name}`, size: file.size, unpacked: true })
  }
  return found
}

/** The bytes that unpacking the archives writes. */
export const unpackedBytes = (files: readonly { size: number; unpacked: boolean }[]): number =>
  files.reduce((sum, { size, unpacked }) => sum + (unpacked ? size : 0), 0)

/** Reports every further quarter of the installation. */
export const progressOf = (device: Device, attempt: Attempt, total: number) => {
  let shown = 0
  return (done: number) => {
    const percent = Math.floor((100 * done) / total)
    if (percent < shown + 25) return
    shown = percent
    device.outbox.note(subjectOf(attempt), 'install_progress', { progress_percent: percent })
  }
}
