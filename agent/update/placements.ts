import type { Manifest } from '../../contract/device/manifest'
import type { Device } from '../device'
import { subjectOf } from '../state/outbox'
import type { Attempt } from '../state/store'
import type { Placement } from './install-files'
import { unpack } from './zip'

const modeOf = (mode: string | null) => Number.parseInt(mode ?? '0644', 8)

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
