import { boolean, enums, type Infer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, session } from '../core/endpoint'
import { Plan } from './plans'
import { text } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

export const featureChannels = ['stable', 'experimental'] as const

export const User = type({
  id: Id,
  email: string(),
  full_name: string(),
  image_url: nullable(string()),
  pricing_plan: Plan,
  feature_channel: enums(featureChannels),
  mfa_enabled: boolean(),
  last_sign_in_at: nullable(Timestamp),
})
export type User = Infer<typeof User>

export const self = endpoint({
  method: 'GET',
  path: '/users/self',
  summary: 'Get the signed-in user (§7).',
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: type({ data: User }),
})

export const SelfChange = object({
  full_name: optional(text('Full name', { min: 0, max: 200 })),
  feature_channel: optional(enums(featureChannels)),
})

export const updateSelf = endpoint({
  method: 'PATCH',
  path: '/users/self',
  summary: 'Change the name or the feature channel of the signed-in user.',
  needs: session,
  audit: 'user.update',
  rate: 'write',
  body: SelfChange,
  answer: User,
})
