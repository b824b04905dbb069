import type { Noun, Scope } from '../../../contract/endpoint'
import type { Grants } from '../../../contract/permissions'
import type { Plan } from '../../../contract/plans'
import type { BaseRole } from '../../../contract/roles'
import type { Tx } from '../database/tx'
import type { User } from './actors'

/** Where an object of a flat id lives. The most particular one counts: project, organization, owner. */
export type Found = { projectId?: string | null; organizationId?: string | null; ownerId?: string | null }
export type Loader = (tx: Tx, id: string) => Promise<Found | null | undefined>

export type OrganizationPlace = { id: string; publicId: string; name: string; plan: Plan; role: BaseRole }
export type ProjectPlace = {
  id: string
  name: string
  organizationId: string | null
  ownerId: string | null
  /** The plan that its limits come from: the organization's or the owner's (product.md 4.14). */
  plan: Plan
}

/** Where a request happens, as far as its caller may know. */
export type Place = {
  organization: OrganizationPlace | null
  project: ProjectPlace | null
  /** The owner of the object itself, where the object is a person's own. */
  ownerId: string | null
  grants: Grants
  /** Of an organization, of a guest in a personal project, or null for the owner of a personal space. */
  role: string | null
  /** Whose audit chain this is: the organization's id, or the id of the person whose space it is. */
  space: string
}

/**
 * The place of a request, from the ids of its path or from the object that it names by `loaders`. 404 where the user may not know
 * that it exists.
 */
export type ResolveScope = (asked: {
  loaders: ReadonlyMap<Noun, Loader>
  tx: Tx
  scope: Scope
  params: Readonly<Record<string, string>>
  user: User
}) => Promise<Place>
