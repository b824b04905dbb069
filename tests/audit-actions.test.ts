import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type AuditAction, auditActions } from '../contract/core/audit-actions'
import { root } from '../server/core/root'

/** Actions that nothing writes yet, with what will write them. */
const unwritten: Partial<Record<AuditAction, string>> = {
  'release.publish': 'publication of releases by the command line',
  'key.import': 'rotation of signing keys',
  'key.coverage_override': 'rotation of signing keys',
  'subscription.cancel': 'cancellation of a plan from the console',
  'audit.read': 'audit log of an organization',
}

const sources = ['contract', 'server'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|(^|\/)(audit-actions|audiences)\.ts$/.test(name))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
)

it('every audit action is written by an endpoint or a job, except the listed ones', () => {
  const missing = auditActions.filter((action) => !sources.some((text) => text.includes(`'${action}'`)))
  expect(missing).toEqual(Object.keys(unwritten))
})
