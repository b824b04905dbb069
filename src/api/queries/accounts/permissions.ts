import { queryOptions } from '@tanstack/react-query'
import { memberPermissions } from '../../../../contract/accounts/organizations'
import { flatten, type Grants } from '../../../../contract/core/permissions'
import { personalProjectPermissions } from '../../../../contract/accounts/projects'
import type { Api } from '../../client'

export type EffectivePermissions = { grants: Grants; baseRole: string | null }

/** R7: the owner of a personal space has no permission list. */
const owner: EffectivePermissions = { grants: null, baseRole: null }

const ask = async (
  api: Api,
  scope: string | null,
  projectId: string | null,
  signal: AbortSignal,
): Promise<EffectivePermissions> => {
  if (scope !== null) {
    const handledBy = projectId === null ? 'organization' : undefined
    const query = projectId === null ? {} : { project_id: projectId }
    // R24: `self` names the caller, so this need not wait for /users/self.
    const answer = await api(memberPermissions, { organizationId: scope, memberId: 'self' }, { query, signal, handledBy })
    return { grants: flatten(answer.permissions), baseRole: answer.baseRole }
  }
  if (projectId === null) return owner
  const { permissions, baseRole } = await api(personalProjectPermissions, { projectId, memberId: 'self' }, { signal })
  return { grants: permissions && flatten(permissions), baseRole }
}

/** The caller's permissions in a scope (null = personal), or inside one project of it. */
export const permissionsQuery = (api: Api, scope: string | null, projectId: string | null = null) =>
  queryOptions({
    queryKey: ['permissions', scope, projectId],
    queryFn: ({ signal }) => ask(api, scope, projectId, signal),
    meta: projectId === null ? { handledBy: 'organization' } : {},
  })
