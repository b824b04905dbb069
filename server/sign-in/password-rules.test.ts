import { describe, expect, it } from 'vitest'
import { passwordProblem } from './password-rules'

describe('a password', () => {
  it.each(['short', '12345678901', 'x'.repeat(129)])('must be 12 to 128 characters: %#', (password) => {
    expect(passwordProblem(password)).toMatch(/characters/)
  })
  it.each([
    'password1234',
    'PasswordPassword',
    'p4ssw0rd!2024',
    'qwertyuiop12',
    '123456789012',
    '987654321098',
    'aaaaaaaaaaaa',
    'abcabcabcabc',
    'abcdefghijkl',
    'letmeinletmein',
    'welcome-2026!!',
    '2024-06-01-2024',
  ])('must not be a common one: %s', (password) => {
    expect(passwordProblem(password)).toMatch(/easy to guess/)
  })
  it('must not be the account itself', () => {
    expect(passwordProblem('ines.quist123', ['ines.quist'])).toMatch(/easy to guess/)
  })
  it.each(['correct horse battery staple', 'тёплый чай и мёд', '9f!Kz0qLm3#x', 'lattice of lozenges', '    spaced    '])(
    'may be anything else: %s',
    (password) => {
      expect(passwordProblem(password, ['ines.quist@example.com'])).toBeUndefined()
    },
  )
})
