import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { eventTypes, summedTypes } from '../contract/accounts/events'
import { root } from '../server/core/root'

const sources = readdirSync(join(root, 'server'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(root, 'server', name), 'utf8'))
  .filter((text) => /\bemit(Device)?Events?\(/.test(text))

/** Computed from the state of a device: `device.online`, `device.late` and `device.offline`. */
const computed = summedTypes.filter((type) => type !== 'device.health_changed')

it('every type of event is written by the server', () => {
  const writes = (type: string) => sources.some((text) => new RegExp(`(: |\\? |=== )'${type}'|, '${type}',`).test(text))
  expect(eventTypes.filter((type) => !writes(type))).toEqual(computed)
})
