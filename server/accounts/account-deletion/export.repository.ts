import { and, asc, desc, eq, gt, isNull } from 'drizzle-orm'
import type { Tx } from '../../core/database/tx'
import { accessTokens } from '../schema/access-tokens'
import { accessRequests, invites } from '../schema/invites'
import { notifications, notificationSettings } from '../schema/notifications'
import { members, organizations } from '../schema/organizations'
import { avatars, identities, profiles, secondFactors, sessions, users } from '../schema/people'
import { projectGuests, projectRoles, projects } from '../schema/projects'

type Reading = { tx: Tx; userId: string; now: Date }

const readAccount = async ({ tx, userId }: Reading) => {
  const [account] = await tx
    .select({
      id: users.id,
      email: users.email,
      full_name: users.fullName,
      plan: users.pricingPlan,
      feature_channel: users.featureChannel,
      created_at: users.createdAt,
      last_sign_in_at: users.lastSignInAt,
    })
    .from(users)
    .where(eq(users.id, userId))
  return account ?? null
}

const readProfile = async ({ tx, userId }: Reading) => {
  const [profile] = await tx.select().from(profiles).where(eq(profiles.userId, userId))
  if (!profile) return null
  return {
    first_name: profile.firstName,
    last_name: profile.lastName,
    company_name: profile.companyName,
    linkedin_url: profile.linkedinUrl,
    city: profile.city,
    country: profile.country,
    role: profile.role,
    platform_applications: profile.platformApplications,
    updated_at: profile.updatedAt,
  }
}

const readPicture = async ({ tx, userId }: Reading) => {
  const [picture] = await tx.select().from(avatars).where(eq(avatars.userId, userId))
  return picture ? { type: picture.type, base64: picture.bytes.toString('base64'), created_at: picture.createdAt } : null
}

const readFactor = async ({ tx, userId }: Reading) => {
  const [factor] = await tx
    .select({ enabled_at: secondFactors.enabledAt })
    .from(secondFactors)
    .where(eq(secondFactors.userId, userId))
  return factor ?? null
}

const readIdentities = ({ tx, userId }: Reading) =>
  tx
    .select({
      issuer: identities.issuer,
      subject: identities.subject,
      email: identities.email,
      created_at: identities.createdAt,
      last_used_at: identities.lastUsedAt,
    })
    .from(identities)
    .where(eq(identities.userId, userId))

const readMemberships = ({ tx, userId }: Reading) =>
  tx
    .select({ id: organizations.publicId, name: organizations.name, role: members.baseRole, joined_at: members.joinedAt })
    .from(members)
    .innerJoin(organizations, eq(organizations.id, members.organizationId))
    .where(eq(members.userId, userId))
    .orderBy(asc(organizations.name), asc(organizations.id))

const readProjectRoles = ({ tx, userId }: Reading) =>
  tx
    .select({ id: projects.id, name: projects.name, role: projectRoles.role })
    .from(projectRoles)
    .innerJoin(projects, eq(projects.id, projectRoles.projectId))
    .where(eq(projectRoles.userId, userId))

const readProjects = ({ tx, userId }: Reading) =>
  tx
    .select({ id: projects.id, name: projects.name, description: projects.description, created_at: projects.createdAt })
    .from(projects)
    .where(eq(projects.ownerId, userId))
    .orderBy(asc(projects.createdAt), asc(projects.id))

const readGuestProjects = ({ tx, userId }: Reading) =>
  tx
    .select({ id: projects.id, name: projects.name, role: projectGuests.role, joined_at: projectGuests.joinedAt })
    .from(projectGuests)
    .innerJoin(projects, eq(projects.id, projectGuests.projectId))
    .where(eq(projectGuests.userId, userId))

const readInvites = ({ tx, userId }: Reading) =>
  tx
    .select({
      email: invites.email,
      role: invites.role,
      message: invites.message,
      state: invites.state,
      created_at: invites.createdAt,
      expires_at: invites.expiresAt,
    })
    .from(invites)
    .where(eq(invites.invitedBy, userId))
    .orderBy(asc(invites.createdAt))

const readAccessRequests = ({ tx, userId }: Reading) =>
  tx
    .select({
      permission: accessRequests.permission,
      reason: accessRequests.reason,
      state: accessRequests.state,
      created_at: accessRequests.createdAt,
      decided_at: accessRequests.decidedAt,
    })
    .from(accessRequests)
    .where(eq(accessRequests.userId, userId))
    .orderBy(asc(accessRequests.createdAt))

const readTokens = ({ tx, userId }: Reading) =>
  tx
    .select({
      id: accessTokens.id,
      project_id: accessTokens.projectId,
      name: accessTokens.name,
      prefix: accessTokens.prefix,
      permissions: accessTokens.permissions,
      allowed_addresses: accessTokens.allowedAddresses,
      created_at: accessTokens.createdAt,
      expires_at: accessTokens.expiresAt,
      revoked_at: accessTokens.revokedAt,
      last_used_at: accessTokens.lastUsedAt,
      last_used_ip: accessTokens.lastUsedIp,
    })
    .from(accessTokens)
    .where(eq(accessTokens.makerId, userId))
    .orderBy(asc(accessTokens.createdAt))

const readSessions = ({ tx, userId, now }: Reading) =>
  tx
    .select({
      id: sessions.id,
      created_at: sessions.createdAt,
      last_used_at: sessions.lastUsedAt,
      expires_at: sessions.expiresAt,
      ip: sessions.ip,
      user_agent: sessions.userAgent,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, userId), isNull(sessions.endedAt), gt(sessions.expiresAt, now)))
    .orderBy(desc(sessions.createdAt))

const readNotifications = ({ tx, userId }: Reading) =>
  tx
    .select({ kind: notifications.kind, at: notifications.at, data: notifications.data, read_at: notifications.readAt })
    .from(notifications)
    .where(eq(notifications.userId, userId))
    .orderBy(desc(notifications.at))

const readNotificationSettings = ({ tx, userId }: Reading) =>
  tx
    .select({ project_id: notificationSettings.projectId, level: notificationSettings.level })
    .from(notificationSettings)
    .where(eq(notificationSettings.userId, userId))

/** The parts of an export with their queries, none of which reads a secret. */
export const exportedParts: Readonly<Record<string, (reading: Reading) => Promise<unknown>>> = {
  account: readAccount,
  profile: readProfile,
  picture: readPicture,
  two_step_sign_in: readFactor,
  company_accounts: readIdentities,
  organizations: readMemberships,
  project_roles: readProjectRoles,
  personal_projects: readProjects,
  guest_projects: readGuestProjects,
  invites_sent: readInvites,
  access_requests: readAccessRequests,
  access_tokens: readTokens,
  sessions: readSessions,
  notification_settings: readNotificationSettings,
  notifications: readNotifications,
}
