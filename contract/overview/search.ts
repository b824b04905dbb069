import { array, enums, type Infer, integer, literal, nullable, object, optional, string, type } from 'superstruct'
import { Connectivity } from '../fleet/devices'
import { endpoint, requires, inProject, session } from '../core/endpoint'
import { releaseStates } from '../updates/releases'
import { oneOf, text } from '../core/rules'
import { Id, PublicId, Timestamp } from '../core/shapes'

/** The number of results of all kinds together; the palette shows no more. */
export const searchLimit = 20

export const DeviceHit = type({
  kind: literal('device'),
  id: Id,
  name: string(),
  serial_number: nullable(string()),
  connectivity: Connectivity,
  last_seen_at: nullable(Timestamp),
  /** The displayed version that it runs. */
  version: nullable(string()),
})
export type DeviceHit = Infer<typeof DeviceHit>

export const ReleaseHit = type({
  kind: literal('release'),
  id: Id,
  name: string(),
  version: integer(),
  display_version: nullable(string()),
  state: enums(releaseStates),
})
export type ReleaseHit = Infer<typeof ReleaseHit>

export const SearchHit = oneOf([DeviceHit, ReleaseHit])
export type SearchHit = Infer<typeof SearchHit>

export const searchProject = endpoint({
  method: 'GET',
  path: '/projects/:projectId/search',
  summary: 'Search devices by name or serial number and releases by name or version. Matches at the beginning come first.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({ q: text('Search', { max: 100 }) }),
  answer: type({ hits: array(SearchHit) }),
})

export const ProjectHit = type({ kind: literal('project'), id: Id, name: string() })
export type ProjectHit = Infer<typeof ProjectHit>

/** Where a result is; `organization` is null in the personal space. */
export const FoundProject = type({
  id: Id,
  name: string(),
  organization: nullable(type({ public_id: PublicId, name: string() })),
})
export type FoundProject = Infer<typeof FoundProject>

export const FoundHit = type({ project: FoundProject, hit: oneOf([ProjectHit, DeviceHit, ReleaseHit]) })
export type FoundHit = Infer<typeof FoundHit>

export const searchEverywhere = endpoint({
  method: 'GET',
  path: '/search',
  summary:
    'Search projects by name, and their devices and releases, in every project that the caller may see. Matches at the beginning come first.',
  needs: session,
  audit: 'none',
  rate: 'read',
  query: object({
    q: text('Search', { max: 100 }),
    /** This project is left out. */
    except_project_id: optional(Id),
  }),
  answer: type({ hits: array(FoundHit) }),
})
