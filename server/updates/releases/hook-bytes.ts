import { buffer } from 'node:stream/consumers'
import type { ArtifactStorage } from '../../core/deps'
import { refuseField } from '../../core/http/refuse'
import type { AssetRow } from './assets/repository'

const maxHookBytes = 1_048_576
const elf = Buffer.from([0x7f, 0x45, 0x4c, 0x46])

const isProgram = (head: Buffer) => head.subarray(0, 2).toString('latin1') === '#!' || head.subarray(0, 4).equals(elf)

/** A hook runs on every device: a script or a program of at most 1 MiB. */
export const checkHookBytes = async (storage: ArtifactStorage, files: readonly AssetRow[]): Promise<void> => {
  for (const { kind, name, size, storageKey } of files) {
    if (kind !== 'hook') continue
    if (size > maxHookBytes) refuseField('assets', 'hook_too_large', `${name} must be 1 MiB or less to be a hook`)
    const head = await buffer(await storage.read(storageKey ?? '', { start: 0, end: Math.min(size, 4) - 1 }))
    if (!isProgram(head)) refuseField('assets', 'not_a_program', `${name} must begin with #! or be an ELF program to be a hook`)
  }
}
