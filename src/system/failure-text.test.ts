import { expect, it } from 'vitest'
import { refused } from '../api/failure'
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

it('a full plan is described by its limit, and names the plan that allows more', () => {
  const about = { plan: 'developer', limit: 3, used: 3 }
  expect(planLimit({ about, required_plan: 'production' })).toBe(
    'The developer plan allows 3, and 3 are in use. This needs the production plan.',
  )
})

it('a full plan that no other plan exceeds names no plan to change to', () => {
  const about = { plan: 'production', limit: 200, used: 200 }
  expect(planLimit({ about })).toBe('The production plan allows 200, and 200 are in use.')
})

it('a refusal by the plan without a limit is described by the message of the server', () => {
  const message = 'Tokens without an end need the production plan. Create one with a lifetime and revoke this one'
  expect(planLimit({ message, required_plan: 'production' })).toBe(message)
})
