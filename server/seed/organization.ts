import { createSigningKey } from '../../contract/fleet/keys'
import { createOrganization } from '../../contract/accounts/organization'
import { createOrganizationProject, createPersonalProject, updateProject } from '../../contract/accounts/project-changes'
import { createTag } from '../../contract/fleet/tags'
import { insertCredential } from '../accounts/credentials/repository'
import { insertMember } from '../accounts/members/repository'
import { findOrganizationByPublicId } from '../accounts/organizations/repository'
import type { Deps } from '../core/deps'
import { passwordsOf } from '../core/passwords/passwords'
import type { SeedApi } from './seed-api'
import { models, tags } from './catalogue'
import type { PastClock } from './past-clock'
import { account, colleagues, createPassword, createUser } from './people'
import type { Demo } from './demo-directory'

type Work = { deps: Deps; past: PastClock; bench: SeedApi }
export type DemoPeople = Demo['people'] & { password: string; organizationId: string }

/** Creates the printed account, its organization, and the other members. */
export const makeOrganization = async ({ deps, past, bench: { ask, actAs } }: Work): Promise<DemoPeople> => {
  past.daysAgo(21, 8)
  const password = createPassword()
  const owner = await createUser(deps.db, account, past.clock())
  const passwordHash = await passwordsOf(deps.config).hash(password)
  await insertCredential(deps.db, { userId: owner, passwordHash, changedAt: past.clock() })
  past.daysAgo(21, 8, 12)
  const body = { name: 'Hedgerow Instruments', description: 'Irrigation, cameras and sensors for orchards' }
  const { public_id: organizationId } = await ask(createOrganization, {}, { as: await actAs(owner), body })
  const organization = await findOrganizationByPublicId(deps.db, organizationId)
  if (!organization) throw new Error('the organization of the demo is gone')
  const join = async (role: (typeof colleagues)[number]['role']) => {
    const person = colleagues.find((one) => one.role === role)
    if (!person) throw new Error(`nobody is ${role}`)
    past.daysAgo(21, 8, 30)
    const userId = await createUser(deps.db, person, past.clock())
    const membership = { organizationId: organization.id, userId, baseRole: role, joinedAt: past.clock(), invitedBy: owner }
    await insertMember(deps.db, membership)
    return userId
  }
  const people = { owner, admin: await join('admin'), developer: await join('developer'), operator: await join('operator') }
  await join('auditor')
  return { ...people, password, organizationId }
}

/** Creates the project of the fleet with its models, tags and key, and two empty ones. */
export const makeProjects = async ({ past, bench: { ask, actAs } }: Work, staff: DemoPeople, publicKey: string) => {
  const { organizationId } = staff
  past.daysAgo(21, 9, 3)
  const description = 'Field gateways of the irrigation network, with the cameras and sensors behind them.'
  const made = await ask(
    createOrganizationProject,
    { organizationId },
    { as: await actAs(staff.owner), body: { name: 'Orchard Gateways', description } },
  )
  const projectId = made.id
  past.daysAgo(21, 9, 20)
  const settings = { hardware_models: models, polling_interval_s: 60, max_concurrent_updates: 4 }
  const change = { as: await actAs(staff.admin), body: { settings }, revision: made.revision }
  await ask(updateProject, { projectId }, change)
  for (const [index, tag] of tags.entries()) {
    past.daysAgo(20, 10, index * 3)
    await ask(createTag, { projectId }, { as: await actAs(staff.operator), body: tag })
  }
  past.daysAgo(20, 13, 40)
  const facts = { name: 'release-2026', algorithm: 'ed25519', purpose: 'release', custody: 'external' } as const
  const body = { ...facts, public_key_pem: publicKey }
  const key = await ask(createSigningKey, { projectId }, { as: await actAs(staff.admin), body })
  return { projectId, keyId: key.id }
}

export const makeMoreProjects = async (
  { past, bench: { ask, actAs } }: Work,
  { organizationId, developer, owner }: DemoPeople,
) => {
  past.daysAgo(12, 14, 5)
  const panels = { name: 'Cold Store Panels', description: 'Door panels, on from 6 to 22 h only. Updates need a window.' }
  await ask(createOrganizationProject, { organizationId }, { as: await actAs(developer), body: panels })
  past.daysAgo(9, 16, 30)
  const bench = { name: 'Bench', description: 'Boards on my desk. Expect noise.' }
  await ask(createPersonalProject, {}, { as: await actAs(owner), body: bench })
}
