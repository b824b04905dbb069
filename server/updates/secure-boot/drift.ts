import type { SecureBootDrift } from '../../../contract/secure-boot/devices'
import type { BundleRow } from './repository'

type Facts = {
  state: string
  rollbackVersion: number | null
  bundleId: string | null
  keyHash: string | null
}
type Bundle = Pick<BundleRow, 'id' | 'name' | 'version' | 'state' | 'rollbackVersion' | 'keyHash' | 'fuseConfig'>

const nameOf = ({ name, version }: Pick<Bundle, 'name' | 'version'>) => `${name} v${version}`

const bundleDrift = ({ state, bundleId }: Facts, bundle: Bundle | undefined, expected: Bundle | undefined): SecureBootDrift[] => {
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

const rollbackDrift = ({ rollbackVersion }: Facts, bundle: Bundle): SecureBootDrift[] =>
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

/** How the report of a device differs from its bundle, and from the newest one in use for its model. */
export const findDrift = (facts: Facts, bundle: Bundle | undefined, expected: Bundle | undefined): SecureBootDrift[] => {
  const against = bundle ?? (facts.state === 'unknown' ? undefined : expected)
  if (!against) return bundleDrift(facts, bundle, expected)
  const { state, keyHash } = facts
  return [
    ...bundleDrift(facts, bundle, expected),
    ...rollbackDrift(facts, against),
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
