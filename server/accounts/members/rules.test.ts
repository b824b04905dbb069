import { describe, expect, it } from 'vitest'
import { type BaseRole, baseRoles } from '../../../contract/core/roles'
import { roleRefusal } from './rules'

// Written out by hand: who may change which role to which, when there is more than one owner.
const may: Record<BaseRole, readonly BaseRole[]> = {
  owner: ['owner', 'admin', 'developer', 'operator', 'viewer', 'auditor', 'billing'],
  admin: ['admin', 'developer', 'operator', 'viewer', 'auditor'],
  developer: ['developer', 'viewer'],
  operator: ['operator', 'viewer'],
  viewer: ['viewer'],
  auditor: ['viewer', 'auditor'],
  billing: ['billing'],
}

const triples = baseRoles.flatMap((actor) => baseRoles.flatMap((from) => [...baseRoles, null].map((to) => ({ actor, from, to }))))

describe('T-06: a member can neither give nor remove a role above the own one', () => {
  it.each(triples)('$actor turns $from into $to', ({ actor, from, to }) => {
    const allowed = may[actor].includes(from) && (to === null || may[actor].includes(to))
    expect(roleRefusal({ actor, own: false, from, owners: 2 }, to)?.code ?? null).toBe(allowed ? null : 'role_above_own')
  })
  it.each(triples)('$actor never turns their own $from into $to', ({ actor, from, to }) => {
    expect(roleRefusal({ actor, own: true, from, owners: 2 }, to)?.code).toBe('own_role')
  })
})

describe('T-07: the last owner cannot be removed', () => {
  it.each([...baseRoles, null])('and is not turned into %s', (to) => {
    const refusal = roleRefusal({ actor: 'owner', own: false, from: 'owner', owners: 1 }, to)
    expect(refusal?.code ?? null).toBe(to === 'owner' ? null : 'last_owner')
  })
})
