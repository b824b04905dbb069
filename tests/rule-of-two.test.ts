import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import * as ddi from '../contract/ddi/endpoints'
import * as device from '../contract/device/endpoints'
import type { Endpoint, Needs } from '../contract/core/endpoint'
import { endpoints } from '../contract/endpoints'
import { rolesWith } from '../contract/core/roles'
import { root } from '../server/core/root'

const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
const section = /^## The rule of two\n(.*?)^## /ms.exec(page)?.[1] ?? ''

const cellsOf = (line: string) => line.replace(/^\| | \|$/g, '').split(' | ')
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (Way|---)/.test(line))
  .map((line) => {
    const [way = '', named = '', needs = '', alone = '', held = ''] = cellsOf(line)
    return { way, names: [...named.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name), needs, alone, held }
  })

const isEndpoint = (value: unknown): value is Endpoint => typeof value === 'object' && value !== null && 'needs' in value
const ofClients = (prefix: string, contract: object): [string, Endpoint][] =>
  Object.entries(contract).flatMap(([name, value]) => (isEndpoint(value) ? [[`${prefix}.${name}`, value]] : []))
const isChange = ({ method }: Endpoint) => method !== 'GET' && method !== 'HEAD'
/** What people and programs change, and all that devices call: offers are answers to them. */
const asked = new Map<string, Endpoint>([
  ...Object.entries(endpoints).flatMap(([name, one]): [string, Endpoint][] =>
    isChange(one) ? [[name.split('.').at(-1) ?? '', one]] : [],
  ),
  ...ofClients('device', device),
  ...ofClients('ddi', ddi),
])

const needOf = (needs: Needs): string[] => {
  if (needs.kind === 'permission') return needs.all.length > 0 ? [...needs.all] : ['member']
  if (needs.kind === 'self') return ['own', ...(needs.or ?? []), ...(needs.and ?? [])]
  return [needs.kind]
}
const needsOf = (names: readonly string[]) =>
  [...new Set(names.flatMap((name) => needOf(asked.get(name)?.needs ?? { kind: 'public' })))].toSorted().join(', ')

it('the table of the rule of two has a row for each endpoint that changes anything or that a device calls, and for no other', () => {
  expect(asked.size).toBeGreaterThan(130)
  const answered = new Set(rows.flatMap(({ names }) => names))
  expect([...asked.keys()].filter((name) => !answered.has(name))).toEqual([])
  expect([...answered].filter((name) => !asked.has(name))).toEqual([])
})

it('each row of the rule of two names the permissions that its endpoints need', () => {
  for (const { way, names, needs } of rows) expect(needs.replaceAll('`', ''), way).toBe(needsOf(names))
})

it('each row of the rule of two says who walks that way alone, and names the test that refuses the others', () => {
  for (const { way, alone, held } of rows) {
    expect(alone, way).toMatch(/^(nobody|members' managers|yes|brings no software)/)
    if (!alone.startsWith('brings no software')) expect(held, way).toMatch(/\[“.+”\]\(\.\.\/.+\)/)
  }
})

it('who can turn the rule off may also manage members, and a developer and an operator may not', () => {
  expect(rolesWith('project:manage_members')).toEqual(['owner', 'admin'])
  for (const permission of ['project:delete', 'organization:update', 'organization:manage_members'] as const)
    expect(rolesWith(permission).filter((role) => !rolesWith('project:manage_members').includes(role))).toEqual([])
})
