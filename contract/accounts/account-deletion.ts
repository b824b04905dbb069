import { array, boolean, enums, type Infer, integer, nullable, object, optional, refine, string, type } from 'superstruct'
import { endpoint, session } from '../core/endpoint'
import { FactorCode, PresentPassword } from './account'

/** What has to be handed over, deleted or cancelled before the account of its owner can be deleted. */
export const DeletionObstacle = type({
  kind: enums(['organization', 'project', 'subscription']),
  /** The public id of an organization, the id of a project; null for the subscription of the person. */
  id: nullable(string()),
  name: string(),
})
export type DeletionObstacle = Infer<typeof DeletionObstacle>

const AccountDeletion = type({
  /** The organizations of which the caller is the only owner, the projects of the caller, and a subscription that goes on. */
  obstacles: array(DeletionObstacle),
  /** Access tokens of the caller that work now. */
  access_tokens: integer(),
  /** Without a password, one has to be set first. */
  has_password: boolean(),
  second_factor: boolean(),
})
export type AccountDeletion = Infer<typeof AccountDeletion>

export const accountDeletion = endpoint({
  method: 'GET',
  path: '/users/self/deletion',
  summary: "List what stands in the way of deleting the caller's account, and what ends with it.",
  needs: session,
  audit: 'none',
  rate: 'read',
  answer: AccountDeletion,
})

export const exportAccount = endpoint({
  method: 'GET',
  path: '/users/self/export',
  summary: 'Export what is stored about the caller as a JSON file, without secrets.',
  needs: session,
  audit: 'user.export',
  rate: 'write',
  answer: 'bytes',
})

export const DeleteAccount = object({
  confirm_email: refine(string(), 'required', (value) => value !== '' || 'Type your email address'),
  current_password: PresentPassword,
  /** Required while two-step sign-in is on. */
  code: optional(FactorCode),
})

export const deleteAccount = endpoint({
  method: 'DELETE',
  path: '/users/self',
  summary: "Delete the caller's account at once. 409 with the obstacles while it owns something.",
  needs: session,
  audit: 'user.delete',
  rate: 'sign_in',
  body: DeleteAccount,
  answer: 'none',
})
