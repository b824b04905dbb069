import { validate } from 'superstruct'
import { describe, expect, it } from 'vitest'
import { ProfileForm, roleOf, splitRole } from './profile'

/** The first problem of a questionnaire; null when it is accepted. */
const problemOf = (form: object) => {
  const [error] = validate(form, ProfileForm)
  return error ? [error.path.join('.'), error.refinement] : null
}
const custom = (length: number) => roleOf('other', '🙂'.repeat(length))

describe('the questionnaire', () => {
  it('§5, R16: a custom role has up to 100 characters, without the prefix', () => {
    expect(problemOf({ role: custom(100) })).toBeNull()
    expect(problemOf({ role: custom(101) })).toEqual(['role', 'too_long'])
  })

  it.each([
    [{ first_name: 'Ines', last_name: '', company_name: '<b>Ü</b>', linkedin_url: 'no address', city: '7' }, null],
    [{ role: 'embedded_developer' }, null],
    [{ role: 'other' }, null],
    [{ role: '' }, null],
    [{ role: 'astronaut' }, ['role', 'not_listed']],
    [{ role: 'student:x' }, ['role', 'not_listed']],
    [{ platform_applications: 'secure_ota_updates,other' }, null],
    [{ platform_applications: '' }, null],
    [{ platform_applications: 'secure_ota_updates,moon_landing' }, ['platform_applications', 'not_listed']],
    [{ platform_applications: 'secure_ota_updates;other' }, ['platform_applications', 'not_listed']],
    [{ country: 'DE' }, null],
    [{ country: '' }, null],
    [{ country: 'DEU' }, ['country', 'country']],
    [{ country: 'de' }, ['country', 'country']],
    [{ country: 'Germany' }, ['country', 'country']],
  ])('§3: of %j the problem is %j', (form, problem) => expect(problemOf(form)).toEqual(problem))

  it('§7: the role is its value, or "other:" and the text, which may have colons', () => {
    expect([roleOf('student', 'ignored'), roleOf('other', 'fire: tamer')]).toEqual(['student', 'other:fire: tamer'])
    expect(splitRole('other:fire: tamer')).toEqual({ role: 'other', custom_role: 'fire: tamer' })
    expect(splitRole('student')).toEqual({ role: 'student', custom_role: '' })
  })
})
