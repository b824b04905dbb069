import type { SecureBootDrift } from '../../../contract/updates/secure-boot/devices'
import type { FuseWord } from '../../../contract/updates/secure-boot/fuses'
import type { SecureBootReport } from '../../../contract/device/secure-boot-report'
import type { DeviceRow } from '../../fleet/devices/repository'
import { findReported, readFuseWord, wordHex } from './fuse-plan/bits'
import { expectedWord } from './fuse-plan/draft'
import type { BundleRow } from './repository'

type Reporter = Pick<DeviceRow, 'secureBootState' | 'rollbackVersion' | 'secureBootBundleId' | 'secureBootKeyHash' | 'fuseWords'>
type Bundle = Pick<BundleRow, 'id' | 'name' | 'version' | 'state' | 'rollbackVersion' | 'keyHash' | 'fuseConfig'>

const nameOf = ({ name, version }: Pick<Bundle, 'name' | 'version'>) => `${name} v${version}`

const bundleDrift = (device: Reporter, bundle: Bundle | undefined, expected: Bundle | undefined): SecureBootDrift[] => {
  const { secureBootState: state, secureBootBundleId: bundleId } = device
  const wanted = expected ? nameOf(expected) : null
  const drift = (reported: string | null, text: string) => [{ field: 'bundle_id', reported, expected: wanted, text }]
  if (bundleId !== null && !bundle) return drift(bundleId, 'The device reports a bundle that this project does not have')
  if (bundle?.state === 'revoked') return drift(nameOf(bundle), 'The device boots by a revoked bundle')
  if (bundle && expected && bundle.id !== expected.id)
    return drift(nameOf(bundle), `The device has ${nameOf(bundle)}; ${nameOf(expected)} is in use for its model`)
  if (!bundle && expected && state !== 'unknown')
    return drift(null, `The device reports no bundle; ${wanted} is in use for its model`)
  return []
}

const rollbackDrift = ({ rollbackVersion }: Reporter, bundle: Bundle): SecureBootDrift[] =>
  rollbackVersion === null || rollbackVersion === bundle.rollbackVersion
    ? []
    : [
        {
          field: 'rollback_version',
          reported: String(rollbackVersion),
          expected: String(bundle.rollbackVersion),
          text:
            rollbackVersion < bundle.rollbackVersion
              ? 'The rollback version of the bundle is not burned into the device'
              : 'The device has a higher rollback version: it refuses the images of this bundle',
        },
      ]

const reads = {
  incomplete: (name: string) => `The fuse word ${name} is not burned into the device`,
  differed: (name: string) => `The fuse word ${name} has other bits set in the device, which can never be cleared`,
}

const wordDrift = (reported: Pick<SecureBootReport, 'words'>, field: string, word: FuseWord): SecureBootDrift[] => {
  const reading = readFuseWord(reported, word)
  if (reading === 'matched' || reading === 'unknown') return []
  const value = findReported(reported, word)
  return [
    {
      field,
      reported: value === undefined ? null : wordHex(value),
      expected: expectedWord(word),
      text: reads[reading](`${word.name} (bank ${word.bank}, word ${word.word})`),
    },
  ]
}

const fuseDrift = ({ fuseWords }: Reporter, { words, close_step }: Bundle['fuseConfig']): SecureBootDrift[] => {
  const reported = fuseWords ? { words: fuseWords } : {}
  return [
    ...words.flatMap((word, n) => wordDrift(reported, `fuse_config.words.${n}`, word)),
    ...(close_step?.word ? wordDrift(reported, 'fuse_config.close_step.word', close_step.word) : []),
  ]
}

/** How the report of a device differs from its bundle, and from the newest one in use for its model. */
export const findDrift = (device: Reporter, bundle: Bundle | undefined, expected: Bundle | undefined): SecureBootDrift[] => {
  const against = bundle ?? (device.secureBootState === 'unknown' ? undefined : expected)
  if (!against) return bundleDrift(device, bundle, expected)
  const { secureBootState: state, secureBootKeyHash: keyHash } = device
  return [
    ...bundleDrift(device, bundle, expected),
    ...rollbackDrift(device, against),
    ...(keyHash !== null && against.keyHash !== null && keyHash !== against.keyHash
      ? [
          {
            field: 'key_hash',
            reported: keyHash,
            expected: against.keyHash,
            text: /^0+$/.test(keyHash) ? 'No key is burned into the device' : 'Another key is burned into the device',
          },
        ]
      : []),
    ...fuseDrift(device, against.fuseConfig),
    ...(against.fuseConfig.close_step && (state === 'open' || state === 'enforcing')
      ? [
          {
            field: 'state',
            reported: state,
            expected: 'closed',
            text: 'The bundle closes the part, and the device is not closed',
          },
        ]
      : []),
  ]
}
