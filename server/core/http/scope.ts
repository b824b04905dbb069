import type { Noun, ScopeSource } from '../../../contract/core/endpoint'
import type { Grants } from '../../../contract/core/permissions'
import type { Plan } from '../../../contract/accounts/plans'
import type { ProjectSettings } from '../../../contract/accounts/projects'
import type { BaseRole } from '../../../contract/core/roles'
import type { Tx } from '../database/tx'
import type { User } from './actors'

/** The parents of an object that is addressed by its id alone. The most specific one counts: project, organization, owner. */
type Found = { projectId?: string | null; organizationId?: string | null; ownerId?: string | null }
type Loader = (tx: Tx, id: string) => Promise<Found | null | undefined>
/** Finds the project, organization or owner of an object of each kind from its id alone. */
export type Loaders = Readonly<Record<Noun, Loader>>

export type OrganizationScope = { id: string; publicId: string; name: string; plan: Plan; role: BaseRole }
export type ProjectScope = {
  id: string
  name: string
  organizationId: string | null
  ownerId: string | null
  /** The plan whose limits apply: the organization's or the owner's. */
  plan: Plan
  settings: ProjectSettings
}

/** What a read of the objects of one project needs. */
export type ProjectRead = { tx: Tx; project: Pick<ProjectScope, 'id' | 'settings'>; now: Date }

/** The scope of a request, as far as its caller may know it. */
export type RequestScope = {
  organization: OrganizationScope | null
  project: ProjectScope | null
  /** The owner of the object itself, if it belongs to a person. */
  ownerId: string | null
  grants: Grants
  /** The caller's role in the organization, or as a guest of a personal project; null for the owner of a personal space. */
  role: string | null
  /** The id of the audit chain: the organization's id, or the id of the person whose personal space it is. */
  auditChainId: string
}

/**
 * The scope of a request, from the ids in its path or by `loaders` from the object that it names. 404 where the user may not
 * know that it exists.
 */
export type ResolveScope = (asked: {
  loaders: Partial<Loaders>
  tx: Tx
  scope: ScopeSource
  params: Readonly<Record<string, string>>
  user: User
}) => Promise<RequestScope>
