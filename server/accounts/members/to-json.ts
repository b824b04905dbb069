import type { Member } from '../../../contract/accounts/members'
import { formatTimestamp, formatTimestampOrNull } from '../../core/timestamps'
import type { ProjectRoleRow } from './project-roles.repository'
import type { MemberRow } from './repository'

export const memberToJson = ({ member, user, inviter, lastActive }: MemberRow, roles: readonly ProjectRoleRow[]): Member => ({
  user: { id: user.id, name: user.fullName, email: user.email, image_url: user.imageUrl },
  base_role: member.baseRole,
  project_roles: roles
    .filter(({ userId }) => userId === user.id)
    .map(({ projectId, projectName, role }) => ({ project_id: projectId, project_name: projectName, role })),
  by_group: member.byGroup,
  joined_at: formatTimestamp(member.joinedAt),
  last_active_at: formatTimestampOrNull(lastActive === null ? null : new Date(lastActive)),
  mfa_enabled: user.mfaEnabled,
  invited_by: inviter && { id: inviter.id, name: inviter.fullName || inviter.email },
})
