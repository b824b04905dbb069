import { describe, expect, it } from 'vitest'
import type { Project } from '../../../contract/accounts/projects'
import { named, newestFirst } from './project-order'

// Only the fields used for sorting and filtering.
const project = (id: string, created_at: string, name = id) => ({ id, created_at, name }) as Project

describe('projects (§2)', () => {
  it('are sorted by created_at as moments, not as text', () => {
    const late = project('b', '2026-11-20T01:00:00-05:00')
    const early = project('a', '2026-11-20T05:00:00+00:00')
    expect(newestFirst([early, late]).map(({ id }) => id)).toEqual(['b', 'a'])
  })
  it('created in the same second have a stable order', () => {
    const twins = [project('a', '2026-11-20T05:00:00Z'), project('b', '2026-11-20T05:00:00Z')]
    expect(newestFirst(twins)).toEqual(newestFirst(twins.toReversed()))
  })
  it.each([
    ['', true],
    ['  GATE ', true],
    ['soil', false],
  ])('%j finds "Orchard Gateways": %s', (typed, found) => expect(named(typed)(project('a', '', 'Orchard Gateways'))).toBe(found))
})
