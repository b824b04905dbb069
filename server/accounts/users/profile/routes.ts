import { type Profile, type ProfileForm, profile, saveProfile, updateProfile } from '../../../../contract/accounts/profile'
import type { Api } from '../../../core/http/api'
import { changesOf } from '../../../core/http/audit'
import type { Call } from '../../../core/http/call'
import { notFound } from '../../../core/http/refuse'
import { route } from '../../../core/http/route'
import { findProfile, lockProfile, type ProfileRow, upsertProfile } from './repository'

const fields = [
  'first_name',
  'last_name',
  'company_name',
  'linkedin_url',
  'city',
  'country',
  'role',
  'platform_applications',
] as const satisfies (keyof Profile)[]

const profileToJson = (row: ProfileRow): Profile => ({
  first_name: row.firstName,
  last_name: row.lastName,
  company_name: row.companyName,
  linkedin_url: row.linkedinUrl,
  city: row.city,
  country: row.country,
  role: row.role,
  platform_applications: row.platformApplications,
})

const columns = (form: ProfileForm) => ({
  firstName: form.first_name,
  lastName: form.last_name,
  companyName: form.company_name,
  linkedinUrl: form.linkedin_url,
  city: form.city,
  country: form.country,
  role: form.role,
  platformApplications: form.platform_applications,
})

const empty: Profile = {
  first_name: '',
  last_name: '',
  company_name: '',
  linkedin_url: '',
  city: '',
  country: '',
  role: '',
  platform_applications: '',
}

type Saving = Call<typeof saveProfile> | Call<typeof updateProfile>

// Fields that are not sent stay unchanged.
const save = async ({ tx, user, body, now, audit }: Saving): Promise<Profile> => {
  const before = await lockProfile(tx, user.id)
  const row = await upsertProfile(tx, { userId: user.id, ...columns(body), updatedAt: now })
  const after = row ? profileToJson(row) : notFound()
  const target = { kind: 'user_profile', id: user.id, name: user.name }
  audit({ target, changes: changesOf(before ? profileToJson(before) : empty, after, fields) })
  return after
}

export const profileRoutes = (api: Api): void => {
  route(api, saveProfile, save)
  route(api, updateProfile, save)
  route(api, profile, async ({ tx, user }) => {
    const row = await findProfile(tx, user.id)
    return row ? profileToJson(row) : notFound()
  })
}
