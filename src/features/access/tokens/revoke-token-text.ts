import type { EnrollmentToken, TokenRevocation } from '../../../../contract/fleet/enrollment-tokens'

const keeping = (uses: number) => {
  if (uses === 0) return 'No device has enrolled with it.'
  return uses === 1
    ? 'The device that enrolled with it keeps its own token.'
    : `The ${uses} devices that enrolled with it keep their own tokens.`
}

const unknown = 'Which devices authenticate with it, and are refused from now on, could not be loaded.'

const list = ({ total, devices }: TokenRevocation) => {
  const names = devices.map(({ name }) => name).join(', ')
  return total > devices.length ? `${names} and ${total - devices.length} more` : names
}

/** "2 devices authenticate with it …: cam-1, cam-2." */
const refusing = (refused: TokenRevocation, by: string) =>
  refused.total === 1
    ? `1 device authenticates with ${by} and is refused from now on: ${list(refused)}.`
    : `${refused.total} devices authenticate with ${by} and are refused from now on: ${list(refused)}.`

const ofAuthority = (refused: TokenRevocation | undefined) => {
  if (!refused) return unknown
  return refused.total === 0 ? 'No registered device needs it now.' : refusing(refused, 'its certificates')
}

const ofToken = (refused: TokenRevocation | undefined, uses: number) => {
  if (!refused) return unknown
  if (refused.total === 0) return keeping(uses)
  const keep =
    refused.total === 1 ? 'To keep it, issue it a token of its own first.' : 'To keep them, issue each a token of its own first.'
  return `${refusing(refused, 'it')} ${keep} The others keep their own tokens.`
}

/**
 * What the revocation of a token or authority means for the devices that have enrolled with it. Without `refused`, which could not be
 * loaded, it can still be revoked.
 */
export const revokeTokenText = (
  { uses, authority }: Pick<EnrollmentToken, 'uses' | 'authority'>,
  refused: TokenRevocation | undefined,
): string => {
  if (authority !== null)
    return `Devices with certificates of this authority are refused from now on, also those that have registered. ${ofAuthority(refused)} Add the authority again to admit them again.`
  return `Devices can no longer enroll with it, neither for the first time nor again. ${ofToken(refused, uses)} This cannot be undone: create another token instead.`
}
