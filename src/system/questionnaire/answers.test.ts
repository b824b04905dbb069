import { expect, it } from 'vitest'
import { answersOf, blank, formOf } from './answers'

it('sends every field, also the empty ones (§7)', () => {
  expect(formOf(blank)).toEqual({
    first_name: '',
    last_name: '',
    company_name: '',
    linkedin_url: '',
    city: '',
    country: '',
    role: '',
    platform_applications: '',
  })
})

it('writes the role other before its text, including colons (R16)', () => {
  expect(formOf({ ...blank, role: 'other', custom_role: ' Boot: archaeologist ' }).role).toBe('other:Boot: archaeologist')
})

it('omits the text when the role is not other', () => {
  expect(formOf({ ...blank, role: 'student', custom_role: 'Boot archaeologist' }).role).toBe('student')
})

it('joins the applications by commas (§7)', () => {
  const chosen = formOf({ ...blank, platform_applications: ['secure_ota_updates', 'other'] })
  expect(chosen.platform_applications).toBe('secure_ota_updates,other')
})

it('reads saved answers as what was written (R9)', () => {
  const written = { ...blank, city: 'Szeged', role: 'other', custom_role: 'Boot: archaeologist' } as const
  const applications = ['secure_ota_updates', 'other'] as const
  const {
    first_name = '',
    last_name = '',
    company_name = '',
    linkedin_url = '',
    city = '',
    country = '',
    ...rest
  } = formOf({
    ...written,
    platform_applications: [...applications],
  })
  const saved = { first_name, last_name, company_name, linkedin_url, city, country, role: '', platform_applications: '', ...rest }
  expect(answersOf(saved)).toEqual({ ...written, platform_applications: [...applications] })
  expect(answersOf(null)).toEqual(blank)
  expect(answersOf({ ...saved, role: 'wizard', platform_applications: 'magic,other' })).toMatchObject({
    role: '',
    platform_applications: ['other'],
  })
})
