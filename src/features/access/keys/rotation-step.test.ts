import { expect, it } from 'vitest'
import type { KeyRotation } from '../../../../contract/fleet/key-lists'
import type { SigningKey } from '../../../../contract/fleet/keys'
import { type RotationStep, rotationStep } from './rotation-step'

type Facts = { list?: boolean; added?: number; removed?: number; lacking?: number; stranded?: number }
const key = { fingerprint: 'a'.repeat(64), name: 'Key' }
const many = (count = 0) => Array.from({ length: count }, () => key)
const rotation = ({ list = true, added, removed, lacking = 0, stranded = 0 }: Facts): KeyRotation => ({
  newest: list
    ? { counter: 1, created_at: '', created_by: { id: '', name: '', kind: 'user' }, signed_by: key, keys: [key] }
    : null,
  coverage: { total: 5, trusting: 5 - lacking, missing: [], ahead: [] },
  next: {
    counter: 2,
    added: many(added),
    removed: many(removed),
    signers: [],
    reach: [],
    stranded,
    problem: null,
    to_sign: null,
  },
})
const keys = (...states: SigningKey['state'][]) => states.map((state) => ({ state, purpose: 'release' as const }))

it.each<[string, RotationStep | null, SigningKey['state'][], Facts]>([
  ['nothing is replaced and there is no list', null, ['active', 'active'], { list: false, added: 2 }],
  ['the list has the keys in force', null, ['active', 'retired'], { lacking: 3 }],
  ['a key is replaced and there is no other', 'create', ['retiring', 'revoked'], { list: false, added: 1 }],
  ['there is a new key and no list', 'publish', ['retiring', 'active'], { list: false, added: 2 }],
  ['the new key is in no list', 'publish', ['retiring', 'active'], { added: 1, lacking: 2 }],
  ['devices lack the list', 'wait', ['retiring', 'active'], { lacking: 1 }],
  ['devices never take the list', 'publish', ['retiring', 'active'], { lacking: 2, stranded: 1 }],
  ['devices never take the list of a rotation that was given up', 'publish', ['active', 'active'], { lacking: 2, stranded: 1 }],
  ['all devices hold the list', 'end', ['retiring', 'active'], {}],
  ['a retired key is in the list', 'drop', ['retired', 'active'], { removed: 1 }],
  ['a key was added without a replacement', 'publish', ['active', 'active'], { added: 1 }],
])('%s: %s', (_, step, states, facts) => {
  expect(rotationStep(keys(...states), rotation(facts))).toBe(step)
})

it('keys for secure boot take no part in a rotation', () => {
  const secureBoot = { state: 'retiring' as const, purpose: 'secure_boot' as const }
  expect(rotationStep([secureBoot, ...keys('active')], rotation({}))).toBe(null)
})
