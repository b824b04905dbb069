import { coerce, type Infer, object, optional, refine, string, type } from 'superstruct'
import { endpoint, session } from '../core/endpoint'
import { maxCustomRole, product } from '../core/limits'
import { text } from '../core/rules'

/** §3: the values, in the order of the list. */
export const roleOptions = [
  'embedded_developer',
  'firmware_engineer',
  'hardware_engineer',
  'fpga_asic_engineer',
  'software_engineer',
  'systems_engineer',
  'devops_sre',
  'cloud_engineer',
  'security_engineer',
  'security_researcher',
  'penetration_tester',
  'compliance_risk',
  'technical_architect',
  'engineering_manager',
  'technical_leadership',
  'automotive_engineer',
  'iot_engineer',
  'industrial_systems_engineer',
  'medical_device_engineer',
  'aerospace_defense_engineer',
  'student',
  'professor_academic',
  'independent_researcher',
  'hobbyist_tinkerer',
  'entrepreneur_startup',
  'owner_c_suite',
  'other',
] as const

export const applicationOptions = [
  'secure_boot_firmware_integrity',
  'firmware_signing_verification',
  'hardware_root_of_trust',
  'secure_key_storage_cryptography',
  'trusted_execution_environments',
  'secure_ota_updates',
  'supply_chain_security_sbom',
  'secure_debugging_jtag',
  'side_channel_fault_injection',
  'threat_modeling_risk_assessment',
  'secure_coding_embedded',
  'vulnerability_research_exploit',
  'secure_sdlc_best_practices',
  'compliance_regulatory_standards',
  'iot_consumer_device_security',
  'automotive_security',
  'medical_device_security',
  'industrial_critical_infrastructure',
  'aerospace_defense_security',
  'open_source_security_tools',
  `${product.slug}_security_solutions`,
  'security_cicd_integration',
  'secure_bootloader_development',
  'networking_security_experts',
  'sharing_security_challenges',
  'contributing_open_source_security',
  'other',
] as const

/** §5: exact. Counted in code points, as everywhere. */
export const customRoleMessage = 'Role must be 100 characters or less'
export const CustomRole = refine(string(), 'too_long', (value) => [...value].length <= maxCustomRole || customRoleMessage)

const otherPrefix = 'other:'
/** §7: the value, or `other:` followed by the custom text. */
export const roleOf = (role: string, customRole: string): string => (role === 'other' ? `${otherPrefix}${customRole}` : role)
/** The inverse: split at the first colon, so the text itself may contain colons (R16). */
export const splitRole = (role: string): { role: string; custom_role: string } =>
  role.startsWith(otherPrefix) ? { role: 'other', custom_role: role.slice(otherPrefix.length) } : { role, custom_role: '' }

const isRole = (value: string) => value === '' || (roleOptions as readonly string[]).includes(value)
const Role = refine(
  refine(string(), 'too_long', (value) => [...splitRole(value).custom_role].length <= maxCustomRole || customRoleMessage),
  'not_listed',
  (value) => isRole(splitRole(value).role) || 'Role is not one of the known values',
)
const Country = refine(
  coerce(string(), string(), (value) => value.trim()),
  'country',
  (value) => /^([A-Z]{2})?$/.test(value) || 'Country must be a two-letter code',
)
const Applications = refine(
  string(),
  'not_listed',
  (value) =>
    value === '' ||
    value.split(',').every((one) => (applicationOptions as readonly string[]).includes(one)) ||
    'Applications must be values of the list, separated by commas',
)

export const maxProfileText = 200
const plain = (label: string) => optional(text(label, { min: 0, max: maxProfileText }))

/** The body of the questionnaire (§7); every field may be empty. */
export const ProfileForm = object({
  first_name: plain('First Name'),
  last_name: plain('Last Name'),
  company_name: plain('Company'),
  linkedin_url: plain('LinkedIn Profile URL'),
  city: plain('City'),
  country: optional(Country),
  role: optional(Role),
  platform_applications: optional(Applications),
})
export type ProfileForm = Infer<typeof ProfileForm>

export const Profile = type({
  first_name: string(),
  last_name: string(),
  company_name: string(),
  linkedin_url: string(),
  city: string(),
  country: string(),
  role: string(),
  platform_applications: string(),
})
export type Profile = Infer<typeof Profile>

export const saveProfile = endpoint({
  method: 'POST',
  path: '/user_profile',
  summary: 'Save the answers of the questionnaire, form-encoded (§7).',
  needs: session,
  audit: 'user.profile_submit',
  rate: 'write',
  body: ProfileForm,
  accepts: 'form',
  answer: Profile,
})
export const updateProfile = endpoint({
  method: 'PATCH',
  path: '/user_profile',
  summary: 'Change the answers of the questionnaire (R9).',
  needs: session,
  audit: 'user.profile_submit',
  rate: 'write',
  body: ProfileForm,
  answer: Profile,
})
export const profile = endpoint({
  method: 'GET',
  path: '/user_profile',
  summary: 'Get the answers of the questionnaire. 404 if there are none.',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: Profile,
})
