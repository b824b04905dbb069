import { array, enums, type Infer, object, string } from 'superstruct'
import {
  applicationOptions,
  type Profile,
  type ProfileForm,
  roleOf,
  roleOptions,
  splitRole,
} from '../../../contract/accounts/profile'
import { splitName } from './split-name'

/** §3: the typed answers. All may be empty. */
export const Answers = object({
  first_name: string(),
  last_name: string(),
  company_name: string(),
  linkedin_url: string(),
  city: string(),
  country: string(),
  role: enums(['', ...roleOptions]),
  custom_role: string(),
  platform_applications: array(enums(applicationOptions)),
})
export type Answers = Infer<typeof Answers>

export const blank: Answers = {
  first_name: '',
  last_name: '',
  company_name: '',
  linkedin_url: '',
  city: '',
  country: '',
  role: '',
  custom_role: '',
  platform_applications: [],
}

/** Initial answers: the name from the sign-up. */
export const startingAnswers = (fullName: string): Answers => ({ ...blank, ...splitName(fullName) })

/** §7: one text for the role, one for the applications. */
export const formOf = ({ role, custom_role, platform_applications, ...rest }: Answers): ProfileForm => ({
  ...rest,
  role: roleOf(role, custom_role.trim()),
  platform_applications: platform_applications.join(','),
})

/** The inverse, for answers that are changed later. Unknown values are left out. */
export const answersOf = (saved: Profile | null, fullName = ''): Answers => {
  if (!saved) return startingAnswers(fullName)
  const { role, custom_role } = splitRole(saved.role)
  return {
    ...saved,
    role: roleOptions.find((one) => one === role) ?? '',
    custom_role,
    platform_applications: applicationOptions.filter((one) => saved.platform_applications.split(',').includes(one)),
  }
}
