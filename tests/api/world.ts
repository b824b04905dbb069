import { onboardingKey } from '../../contract/accounts/interstitials'
import { ulid } from 'ulid'
import { eq } from 'drizzle-orm'
import { tokenPermissions } from '../../contract/accounts/access-tokens'
import type { Permission } from '../../contract/core/permissions'
import { type BaseRole, baseRoles, type ProjectRole, projectRoles } from '../../contract/core/roles'
import { members, organizations } from '../../server/accounts/schema/organizations'
import { saveProjectRole } from '../../server/accounts/members/project-roles.repository'
import { identities, sessions } from '../../server/accounts/schema/people'
import { notifications } from '../../server/accounts/schema/notifications'
import { projects } from '../../server/accounts/schema/projects'
import type { TestApi } from '../support/api'
import { createTestObjects } from '../support/test-objects'
import type { Person } from '../support/people'

/** The target of a call: values for all path parameters of the contract. */
export type Ids = Record<string, string>

/** The six scopes of the matrix. */
export const scopes = [
  'own personal',
  'own organization',
  'other project of it',
  'foreign organization',
  'missing twin',
  'deleted',
] as const
export type Scope = (typeof scopes)[number]

export type Actor = {
  name: string
  token: string | undefined
  kind: 'nobody' | 'outsider' | 'member' | 'guest' | 'device' | 'enrollment' | 'access_token'
  role?: BaseRole
  /** What an access token lists, and the scope of its project; `ended`: expired or revoked. `role` is that of its maker. */
  /** The id of an access token. */
  tokenId?: string
  accessToken?: { permissions: readonly Permission[]; scope: Scope; ended?: boolean }
  /** Another role of a member in the project of the scope "own organization". */
  inProject?: ProjectRole
  /** The role of a guest in another person's personal project. */
  guest?: ProjectRole
  /** The actor's personal project, or the one in which they are a guest, with one object of each kind. */
  personal?: Ids
}

type TokenFacts = {
  permissions?: readonly Permission[]
  makerId?: string
  /** The id of its project. */
  in?: string
  expiresAt?: Date
  revokedAt?: Date
}

const unchanging = {
  interstitialId: onboardingKey,
  fileName: 'teasel-agent.mjs',
  commandId: ulid(),
  deviceImportId: ulid(),
  tenant: 'DEFAULT',
  controllerId: 'nobody',
  actionId: '1000000000',
  artifactName: 'nothing.bin',
  inviteToken: 'x'.repeat(43),
  avatarKey: 'a'.repeat(43),
}

export const createMissingIds = (): Ids => ({
  ...unchanging,
  organizationId: `org_${ulid().slice(-12).toLowerCase()}`,
  ...Object.fromEntries(
    [
      'projectId',
      'memberId',
      'deviceId',
      'tagId',
      'releaseId',
      'assetId',
      'bundleId',
      'artifactId',
      'rolloutId',
      'signingKeyId',
      'enrollmentTokenId',
      'accessTokenId',
      'webhookId',
      'webhookDeliveryId',
      'sessionId',
      'identityId',
      'notificationId',
      'uploadId',
      'logSummaryId',
      'jobId',
      'savedViewId',
      'inviteId',
      'accessRequestId',
    ].map((name) => [name, ulid()]),
  ),
})

/** Organizations, projects, people and one object of each kind in each of them. */
export const createWorld = async (api: TestApi) => {
  const make = createTestObjects(api.deps)

  /** One object of each kind. `owner` has the session and the upload, `memberId` is another person of the project. */
  const filled = async (projectId: string, owner: Person, organizationId: string, memberId = owner.id): Promise<Ids> => {
    const releaseId = await make.release(projectId)
    const assetId = await make.asset(projectId, releaseId)
    const bundleId = await make.bundle(projectId)
    const deviceId = (await make.device(projectId)).id
    return {
      ...unchanging,
      organizationId,
      projectId,
      memberId,
      deviceId,
      logSummaryId: await make.logSummary(projectId, deviceId),
      jobId: await make.deviceJob(projectId, owner.id),
      tagId: await make.tag(projectId),
      savedViewId: await make.savedView(projectId, owner.id),
      releaseId,
      assetId,
      bundleId,
      artifactId: await make.artifact(projectId, bundleId),
      rolloutId: await make.rollout(projectId, releaseId),
      signingKeyId: await make.signingKey(projectId),
      enrollmentTokenId: (await make.enrollmentToken(projectId)).id,
      accessTokenId: (await make.accessToken(projectId, owner.id)).id,
      ...(await make.webhook(projectId)),
      sessionId: (await api.session(owner.id)).sessionId,
      identityId: await make.identity(owner.id),
      notificationId: await make.notification(owner.id),
      uploadId: await make.upload(projectId, owner.id, assetId),
      ...(await make.invite(projectId, owner.id)),
    }
  }

  const founder = await api.person({ name: 'Founder' })
  const own = await api.organization(founder, 'Own')
  const projectId = await api.project({ organizationId: own.id }, 'One')
  const otherId = await api.project({ organizationId: own.id }, 'Other')
  const foreigner = await api.person({ name: 'Foreigner' })
  const foreign = await api.organization(foreigner, 'Foreign')
  const foreignId = await api.project({ organizationId: foreign.id }, 'Far')
  const gone = await api.organization(founder, 'Gone')
  const goneId = await api.project({ organizationId: gone.id }, 'Gone')

  const ids: Record<Exclude<Scope, 'own personal'>, Ids> = {
    'own organization': await filled(projectId, founder, own.publicId),
    'other project of it': await filled(otherId, founder, own.publicId),
    'foreign organization': await filled(foreignId, foreigner, foreign.publicId),
    'missing twin': createMissingIds(),
    deleted: await filled(goneId, founder, gone.publicId),
  }

  const person = async (role: BaseRole, inProject?: ProjectRole): Promise<Actor> => {
    const joining = await api.member(own.id, role)
    if (inProject) await saveProjectRole(api.db, { organizationId: own.id, userId: joining.id, projectId }, inProject)
    const personalId = await api.project({ ownerId: joining.id }, 'Mine')
    // A personal project has no organization: the id of a missing one is used.
    const personal = await filled(personalId, joining, createMissingIds().organizationId ?? '')
    const name = inProject === undefined ? role : `${role}, ${inProject} in the project`
    return { name, token: joining.token, kind: 'member', role, personal, ...(inProject && { inProject }) }
  }

  const guest = async (role: ProjectRole): Promise<Actor> => {
    const host = await api.person({ name: 'Host' })
    const personalId = await api.project({ ownerId: host.id }, 'Shared')
    const visiting = await api.guest(personalId, role)
    const personal = await filled(personalId, visiting, createMissingIds().organizationId ?? '')
    return { name: `guest ${role}`, token: visiting.token, kind: 'guest', guest: role, personal }
  }

  const ended = await api.member(own.id, 'owner')
  await api.db.update(sessions).set({ endedAt: api.deps.clock() }).where(eq(sessions.id, ended.sessionId))
  const gateway = await make.device(projectId)
  const group = await make.enrollmentToken(projectId)
  const roles: Actor[] = []
  for (const role of baseRoles) roles.push(await person(role))
  for (const role of projectRoles) roles.push(await guest(role))
  const inProject = [
    ['billing', 'maintainer'],
    ['developer', 'viewer'],
    ['viewer', 'operator'],
    ['admin', 'viewer'],
  ] as const
  for (const [role, other] of inProject) roles.push(await person(role, other))
  const past = new Date(api.deps.clock().getTime() - 1000)
  const maker = await api.member(own.id, 'admin')
  const demoted = await api.member(own.id, 'viewer')
  const tokenActor = async (
    name: string,
    { permissions = tokenPermissions, makerId = maker.id, in: tokenProject = projectId, ...times }: TokenFacts = {},
  ): Promise<Actor> => {
    const { id: tokenId, token } = await make.accessToken(tokenProject, makerId, { permissions: [...permissions], ...times })
    const scope = tokenProject === projectId ? 'own organization' : 'other project of it'
    const ended = times.expiresAt !== undefined || times.revokedAt !== undefined
    const role = makerId === maker.id ? 'admin' : 'viewer'
    return { name, token, tokenId, kind: 'access_token', role, accessToken: { permissions, scope, ...(ended && { ended }) } }
  }
  const actors: Actor[] = [
    await tokenActor('access token with all permissions'),
    await tokenActor('access token that may only view', { permissions: ['project:view'] }),
    await tokenActor('access token of another project', { in: otherId }),
    await tokenActor('expired access token', { expiresAt: past }),
    await tokenActor('revoked access token', { revokedAt: past }),
    await tokenActor('access token of a demoted maker', { makerId: demoted.id }),
    { name: 'anonymous', token: undefined, kind: 'nobody' },
    { name: 'ended session', token: ended.token, kind: 'nobody' },
    { name: 'device token', token: gateway.token, kind: 'device' },
    { name: 'enrollment token', token: group.token, kind: 'enrollment' },
    { name: 'outsider', token: (await api.person({ name: 'Outsider' })).token, kind: 'outsider' },
    ...roles,
  ]

  await api.db
    .update(sessions)
    .set({ endedAt: api.deps.clock() })
    .where(eq(sessions.id, ids.deleted.sessionId ?? ''))
  await api.db.delete(identities).where(eq(identities.id, ids.deleted.identityId ?? ''))
  await api.db.delete(notifications).where(eq(notifications.id, ids.deleted.notificationId ?? ''))
  await api.db.delete(projects).where(eq(projects.id, goneId))
  await api.db.transaction(async (tx) => {
    await tx.delete(members).where(eq(members.organizationId, gone.id))
    await tx.delete(organizations).where(eq(organizations.id, gone.id))
  })

  return {
    actors,
    /** The organization's internal id, also used by its audit chain. */
    ownId: own.id,
    /** A non-member has a personal space too: for them "own personal" is the one of the first member. */
    idsOf: (scope: Scope, actor: Actor): Ids =>
      scope === 'own personal' ? (actor.personal ?? roles[0]?.personal ?? {}) : ids[scope],
  }
}

export type World = Awaited<ReturnType<typeof createWorld>>
