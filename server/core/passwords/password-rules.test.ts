import { dictionary } from '@zxcvbn-ts/language-common'
import { describe, expect, it } from 'vitest'
import { repetitions } from '../../../tests/support/counts'
import { passwordProblem } from './password-rules'

const onTheList = 'This password is on a list of common passwords. Choose another.'

/** From published lists of leaked passwords, keyboard walks, device defaults, and well-known phrases. */
const commonLongOnes = [
  ['1q2w3e4r5t6y', '1qaz2wsx3edc', 'q1w2e3r4t5y6', '1qaz2wsx3edc4rfv', 'qazwsxedcrfv', 'qweasdzxc123', 'zaq12wsxcde3'],
  ['!QAZ2wsx#EDC', '1q2w3e4r5t6y7u8i', 'qwertyuiop123', 'asdfghjkl123', 'zxcvbnm12345', 'qwerty123456', '123456qwerty'],
  ['1234567890qwerty', 'qwer1234asdf', 'asdfasdfasdf', '123456789012', '987654321987', '111111111111', '123123123123'],
  ['147258369147', '112233445566', 'a1b2c3d4e5f6', 'abcd12345678', 'abc123abc123', '123456789abc', 'passwordpassword'],
  ['password12345', 'Password123!', 'P@ssw0rd1234', 'P@$$w0rd2024', 'Pa55word1234', 'mypassword123', 'thisismypassword'],
  ['iloveyou1234', 'iloveyouforever', 'iloveyousomuch', 'letmein12345', 'letmeinplease', 'opensesame123', 'unbelievable'],
  ['trustno1trustno1', 'Administrator1', 'admin123456789', 'ChangeMe123!', 'Welcome2024!', 'Summer2024!!', 'raspberrypi1'],
  ['christopher1', 'elizabeth123', 'manchesterunited', 'liverpoolfc1', 'superman1234', 'princess1234', 'football1234'],
  ['harrypotter1', 'startrek1701', 'ncc1701ncc1701', 'jesuschrist1', 'correcthorsebatterystaple', 'thequickbrownfox'],
  ['maryhadalittlelamb', 'tobeornottobe'],
].flat()

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
    '    spaced    ',
    '1qaz@WSX3edc',
  ])('must not be a common one: %s', (password) => {
    expect(passwordProblem(password)).toMatch(/common|easy to guess/)
  })

  it('must not be one of 64 common long ones, except four whole phrases that the list does not hold', () => {
    expect(new Set(commonLongOnes.filter(({ length }) => length >= 12)).size).toBe(64)
    expect(commonLongOnes.filter((password) => passwordProblem(password) === undefined)).toEqual([
      'correcthorsebatterystaple',
      'thequickbrownfox',
      'maryhadalittlelamb',
      'tobeornottobe',
    ])
  })

  it('must not be on the list, nor one of its first entries counted up to 12 characters', () => {
    const list = dictionary['passwords-common'].map(String)
    const long = list.filter(({ length }) => length >= 12)
    expect(long.length).toBeGreaterThan(300)
    expect(long.filter((password) => passwordProblem(password) !== onTheList)).toEqual([])
    const extended = list
      .slice(0, repetitions(300, 3000))
      .map((password) => password + '123456789012'.slice(0, Math.max(0, 12 - password.length)))
    expect(extended.filter((password) => passwordProblem(password) === undefined)).toEqual([])
  })

  it.each([
    'ines.quist123',
    'Ines-Quist-2026',
    'QuistInes1234',
    'qu1st.ines!!',
    'quist.northwind',
    'Teasel-2026!!',
    'northwind.example',
    'InesQuistInesQuist',
  ])('must not be the account, its address or the product: %s', (password) => {
    expect(passwordProblem(password, { email: 'ines.quist@northwind.example', name: 'Ines Quist' })).toMatch(
      /common|easy to guess|your name/,
    )
  })

  it.each([
    'correct horse battery staple',
    'тёплый чай и мёд',
    '9f!Kz0qLm3#x',
    'hT7xw2Qv9LpZ',
    'lattice of lozenges',
    '  a spaced lane  ',
    '我喜欢在河边散步看日落啊',
    'Ines sells violet staplers',
    `${'password '.repeat(3)}walnut harbour pencil`,
  ])('may be anything else: %s', (password) => {
    expect(passwordProblem(password, { email: 'ines.quist@example.com', name: 'Ines Quist' })).toBeUndefined()
  })

  it('may have 64 to 128 characters', () => {
    const phrase =
      'nine quiet herons wade while walnut harbour pencils drift past the violet staplers of an old tram depot near Bremen at six'
    expect(phrase.length).toBeGreaterThan(110)
    for (const length of [64, phrase.length, 128])
      expect(passwordProblem(phrase.padEnd(128, ' past').slice(0, length))).toBeUndefined()
  })

  it.each([
    ['half of a pair', '\ud800'.repeat(128)],
    ['control characters', '\u0000'.repeat(64)],
    ['names of properties', '__proto__constructor'],
    ['operators of expressions', '()[]{}*+?.^$|\\'.repeat(9)],
  ])('of %s is judged without an error', (_, password) => {
    expect(() => passwordProblem(password, { email: '(.*)@x', name: '[' })).not.toThrow()
  })
})
