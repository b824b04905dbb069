import { describe, expect, it } from 'vitest'
import { is } from 'superstruct'
import { allows, flatten, missing, PermissionGroups, permissions, permissionWords } from './permissions'

it('§6: names seven permissions', () =>
  expect(permissions.slice(0, 7)).toEqual([
    'organization:view',
    'project:create',
    'project:view',
    'device:view',
    'project:manage_devices',
    'project:update',
    'project:manage_releases',
  ]))

describe('the permissions of an answer', () => {
  const groups = { organization: ['organization:view'], project: ['project:view', 'project:create', 'project:view'] }
  const more = { ...groups, guest: ['project:view', 'organization:view'], newer: ['rocket:launch'] }

  it('§6: groups become one list, each permission once', () =>
    expect(flatten(more)).toEqual(['organization:view', 'project:view', 'project:create']))
  it('R3: a plain list is accepted like groups', () => {
    const list = ['project:view', 'device:view', 'project:view']
    expect([is(list, PermissionGroups), is(groups, PermissionGroups)]).toEqual([true, true])
    expect(flatten(list)).toEqual(['project:view', 'device:view'])
  })
})

describe('§5, §6: what is allowed', () => {
  it.each([
    ['all of them', ['project:view', 'device:view'], ['project:view', 'device:view'], []],
    ['one of two', ['project:view'], ['project:view', 'device:view'], ['device:view']],
    ['none', [], ['project:view'], ['project:view']],
    ['nothing needed', [], [], []],
    ['no list', null, ['project:view', 'project:update'], []],
  ] as const)('%s', (_, grants, needs, lacking) => {
    expect(missing(grants, needs)).toEqual(lacking)
    expect(allows(grants, needs)).toBe(lacking.length === 0)
  })
})

it('people read each permission as words of its own', () =>
  expect(permissions.map(permissionWords)).toEqual([
    'view organizations',
    'create projects',
    'view projects',
    'view devices',
    'manage devices',
    'update projects',
    'manage releases',
    'update organizations',
    'delete organizations',
    'manage members of the organization',
    'manage billing of the organization',
    'view audit log of the organization',
    'delete projects',
    'manage members',
    'manage access',
    'approve releases',
    'view audit log',
    'remote command',
  ]))
