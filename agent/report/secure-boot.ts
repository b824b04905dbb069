import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mask, object, partial } from 'superstruct'
import { SecureBootReport } from '../../contract/device/secure-boot-report'

type Word = NonNullable<SecureBootReport['words']>[number]
type Found = Omit<SecureBootReport, 'rollback_version'>

const read = (path: string): Buffer | null => {
  try {
    return readFileSync(path)
  } catch {
    return null
  }
}

// The GUID of the EFI global variables (UEFI specification, 3.3). Four bytes of attributes precede the value.
const variable = (root: string, name: string) =>
  read(join(root, `sys/firmware/efi/efivars/${name}-8be4df61-93ca-11d2-aa0d-00e098032b8c`))?.[4]

const readUefi = (root: string): Found | null => {
  const enforced = variable(root, 'SecureBoot')
  if (enforced === undefined) return null
  // In setup mode no platform key is enrolled: anyone may enroll one.
  return { state: enforced === 1 && variable(root, 'SetupMode') !== 1 ? 'enforcing' : 'open' }
}

/**
 * The fuses of i.MX 7 and 8M by their bank and word, as U-Boot names them (doc/imx/habv4/guides): the hash of the super root keys
 * in banks 6 and 7, and SEC_CONFIG in bank 1, word 3.
 */
const hashWords = [6, 7].flatMap((bank) => [0, 1, 2, 3].map((word) => ({ bank, word })))
const config = { bank: 1, word: 3 }
const closedBit = 0x0200_0000

const readImx = (root: string): Found | null => {
  const compatible = read(join(root, 'proc/device-tree/compatible'))?.toString('latin1') ?? ''
  if (!/fsl,imx(?:7[ds]|8m[mnpq])/.test(compatible)) return null
  const fuses = read(join(root, 'sys/bus/nvmem/devices/imx-ocotp0/nvmem'))
  const valueOf = ({ bank, word }: Pick<Word, 'bank' | 'word'>) => {
    const at = (bank * 4 + word) * 4
    return fuses && at + 4 <= fuses.length ? fuses.readUInt32LE(at) : null
  }
  const closing = valueOf(config)
  const values = hashWords.map(valueOf)
  if (closing === null || values.includes(null)) return null
  const words = [...hashWords, config].map((place): Word => ({ ...place, value_hex: (valueOf(place) ?? 0).toString(16) }))
  const hash = Buffer.concat(
    values.map((value) => {
      const bytes = Buffer.alloc(4)
      bytes.writeUInt32LE(value ?? 0)
      return bytes
    }),
  )
  return { state: (closing & closedBit) === 0 ? 'open' : 'closed', key_hash: hash.toString('hex'), words }
}

const { rollback_version: _, ...facts } = SecureBootReport.schema
const File = partial(object(facts))

/** Facts that were written into a file; none if it cannot be read. Other fields are left out. */
export const readSecureBootFile = (path: string): Partial<Found> => {
  try {
    return mask(JSON.parse(readFileSync(path, 'utf8')), File)
  } catch {
    return {}
  }
}

/**
 * The state of secure boot of this machine. The provisioning may write `secure-boot.json` beside the agent's state, for what the
 * platform does not show. `root` is `/` except in tests.
 */
export const readSecureBoot = (directory: string, root = '/'): Found => ({
  state: 'unknown',
  ...readSecureBootFile(join(directory, 'secure-boot.json')),
  ...(readUefi(root) ?? readImx(root)),
})
