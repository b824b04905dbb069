import { expect, it } from 'vitest'
import { refused } from '../../api/failure'
import { describeFailure } from './failure-text'

const planLimit = (error: object) => {
  const body = { error: { code: 'plan_limit', message: 'The plan is full', details: [], request_id: 'r', ...error } }
  return describeFailure(refused(new Response('', { status: 402 }), body).failure)
}

it('a refusal for want of a permission says in words what the server says', () => {
  const message = 'Needs “manage releases”. Roles that have it: owner, admin, developer'
  const error = { code: 'forbidden', message, details: [], request_id: 'r', required_permission: 'project:manage_releases' }
  expect(describeFailure(refused(new Response('', { status: 403 }), { error }).failure)).toBe(message)
})

it('a refusal by the plan is described by the message of the server, which says what it allows and who can change it', () => {
  const message = 'Tokens without an end need the production plan. Create one with a lifetime and revoke this one'
  expect(planLimit({ message, required_plan: 'production' })).toBe(message)
})
