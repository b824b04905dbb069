import { expect, it } from 'vitest'
import type { Project } from '../../../../contract/accounts/projects'
import { lacksKeys, moveConsequences, type MoveGoal, moveRefusal } from './move-consequences'

const key = (name: string, state: 'active' | 'retired' = 'active') => ({ name, fingerprint: name.repeat(8), state })
const settings = { hardware_models: [] as { id: string }[] } as unknown as Project['settings']
const goal: MoveGoal = { project: { name: 'Workshop', settings }, keys: [key('a'), key('b'), key('c', 'retired')], tags: [] }
const device = {
  name: 'gateway',
  protocol: 'teasel' as const,
  client: null,
  hardware_model: 'gw',
  lifecycle: 'active' as const,
  installed: null,
  tags: [],
  trusted_keys: [{ fingerprint: key('a').fingerprint, algorithm: 'ed25519' }],
  quarantine: null,
}
const tag = (name: string) => ({ id: name, name, colour: 'moss' as const })

it('the dialog names the keys of the other project that a device trusts, and says when it trusts none', () => {
  expect(lacksKeys(device, goal)).toBe(false)
  expect(moveConsequences(device, 'Field', goal).join('\n')).toContain('trusts 1 of 2 signing keys of Workshop: a.')
  const other = { ...device, trusted_keys: [{ fingerprint: key('c').fingerprint, algorithm: 'ed25519' }] }
  expect(lacksKeys(other, goal)).toBe(true)
  expect(moveConsequences(other, 'Field', goal).join('\n')).toContain('refuses every release of Workshop')
  const client = { ...other, protocol: 'ddi' as const }
  expect(lacksKeys(client, goal)).toBe(false)
  expect(moveConsequences(client, 'Field', goal).join('\n')).not.toContain('key')
})

it('the dialog names the tags that a device keeps and loses, its version and its quarantine', () => {
  const quarantine = { until: '2026-06-01T00:00:00+00:00', reason: 'three failures' }
  const installed = {
    release_id: null,
    name: null,
    version: 7,
    display_version: null,
    installed_at: '2026-06-01T00:00:00+00:00',
    slot: null,
    confirmed: true,
  }
  const full = { ...device, tags: [tag('pilot'), tag('roof')], quarantine, installed }
  const texts = moveConsequences(full, 'Field', { ...goal, tags: [{ name: 'pilot' }] })
  for (const part of ['does not have: roof.', 'Workshop has: pilot.', 'with the version number 7', 'quarantine ends'])
    expect(texts.filter((text) => text.includes(part))).toHaveLength(1)
  expect(moveConsequences(device, 'Field', goal).join('\n')).not.toMatch(/tags|version number|quarantine/)
})

it('the dialog says which agents cannot follow, and which one the device has', () => {
  const client = { name: 'teasel-agent', version: '0.1.0', config_hash: null }
  const texts = (told: typeof client | null) => moveConsequences({ ...device, client: told }, 'Field', goal).join('\n')
  expect(texts(null)).toContain('Its agent follows')
  expect(texts(client)).toContain('Its agent, teasel-agent 0.1.0, follows')
  expect(texts(null)).toContain('older than this control center cannot follow: it refuses the releases of Workshop')
  expect(moveConsequences({ ...device, protocol: 'ddi' as const }, 'Field', goal).join('\n')).not.toContain('agent')
})

it('the dialog refuses a hardware model that the other project does not list', () => {
  const listed = { ...settings, hardware_models: [{ id: 'other' }] } as unknown as Project['settings']
  expect(moveRefusal(device, goal)).toBeUndefined()
  expect(moveRefusal(device, { ...goal, project: { name: 'Workshop', settings: listed } })).toContain('no hardware model gw')
})
