import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import type { SigningKey } from '../../../../contract/fleet/keys'

export const rotationSteps = ['create', 'publish', 'wait', 'end', 'drop'] as const
export type RotationStep = (typeof rotationSteps)[number]

export const isForReleases = ({ purpose }: Pick<SigningKey, 'purpose'>) => purpose !== 'secure_boot'

/**
 * The step of a rotation, from what the server knows: anyone continues where the last person stopped. Null if no key is being
 * replaced and the newest list contains the keys in force.
 */
export const rotationStep = (
  keys: readonly Pick<SigningKey, 'state' | 'purpose'>[],
  rotation: KeyRotation,
): RotationStep | null => {
  const { newest, coverage, next } = rotation
  const ofReleases = keys.filter(isForReleases)
  if (ofReleases.some(({ state }) => state === 'retiring')) {
    if (!ofReleases.some(({ state }) => state === 'active')) return 'create'
    if (newest === null || next.added.length > 0 || next.stranded > 0) return 'publish'
    return coverage.trusting < coverage.total ? 'wait' : 'end'
  }
  if (newest === null) return null
  if (next.removed.length > 0) return 'drop'
  return next.added.length > 0 || next.stranded > 0 ? 'publish' : null
}
