import type { SigningKey } from '../../../contract/fleet/keys'
import type { Release } from '../../../contract/updates/releases'

/** The first signature by a key that was not revoked since; undefined if devices would refuse every one. */
export const findValidSignature = (
  { signatures }: Pick<Release, 'signatures'>,
  keys: readonly Pick<SigningKey, 'id' | 'state'>[],
): Release['signatures'][number] | undefined =>
  signatures.find(({ key_id }) => keys.find(({ id }) => id === key_id)?.state !== 'revoked')
