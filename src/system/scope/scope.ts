import { useParams } from '@tanstack/react-router'

/** An organization's public id, or null for the personal space. */
export type Scope = string | null

/** R4: the path segment of the personal space. */
const none = 'none'
export const scopeFromPath = (word: string): Scope => (word === none ? null : word)
export const scopeToPath = (scope: Scope): string => scope ?? none

/** The scope and project of the route; undefined on pages without an organization. */
export const useRouteScope = (): { scope: Scope | undefined; projectId: string | undefined } => {
  const { organizationId, projectId } = useParams({ strict: false })
  return { scope: organizationId === undefined ? undefined : scopeFromPath(organizationId), projectId }
}
