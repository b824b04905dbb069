import { expect, it } from 'vitest'
import { revokeTokenText } from './revoke-token-text'

const none = { total: 0, devices: [] }
const named = (total: number, ...names: string[]) => ({ total, devices: names.map((name) => ({ id: name, name })) })
const token = (uses: number) => ({ uses, authority: null })
const authority = { uses: 3, authority: 'ab'.repeat(32) }

it.each([
  [token(0), none, 'No device has enrolled with it.'],
  [token(1), none, 'The device that enrolled with it keeps its own token.'],
  [token(3), none, 'The 3 devices that enrolled with it keep their own tokens.'],
  [
    token(3),
    named(1, 'cam-1'),
    'again. 1 device authenticates with it and is refused from now on: cam-1. To keep it, issue it a token of its own first.',
  ],
  [
    token(9),
    named(7, 'a', 'b', 'c', 'd', 'e'),
    '7 devices authenticate with it and are refused from now on: a, b, c, d, e and 2 more.',
  ],
  [authority, none, 'No registered device needs it now.'],
  [
    authority,
    named(2, 'a', 'b'),
    '2 devices authenticate with its certificates and are refused from now on: a, b. Add the authority',
  ],
  [token(3), undefined, 'Which devices authenticate with it, and are refused from now on, could not be loaded. This cannot be'],
  [authority, undefined, 'Which devices authenticate with it, and are refused from now on, could not be loaded. Add the'],
] as const)('the confirmation of a revocation names the devices that lose access: %j, %j', (revoked, refused, text) => {
  expect(revokeTokenText(revoked, refused)).toContain(text)
})

it('the confirmation promises own tokens to none of the devices that authenticate with the revoked token', () => {
  expect(revokeTokenText(token(1), named(1, 'cam-1'))).not.toMatch(/device that enrolled with it keeps/)
})
