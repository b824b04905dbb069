import { array, enums, type Infer, integer, nullable, object, optional, string, type } from 'superstruct'
import { endpoint, inProject, onObject, requires } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { text } from '../core/rules'
import { Id, Timestamp } from '../core/shapes'

const sbomFormats = ['cyclonedx', 'spdx'] as const

/**
 * Limits of an SBOM that is read for its components: bytes, levels of nesting, JSON values in all, components, items of a list inside
 * a component, and listed notes.
 */
export const sbomLimits = {
  bytes: 16_777_216,
  depth: 64,
  values: 1_000_000,
  components: 20_000,
  inner: 64,
  notes: 20,
} as const

const SbomField = type({ field: string(), rule: string() })

/** One file of kind `sbom` of a release, and what reading it gave. */
export const Sbom = type({
  asset_id: Id,
  name: string(),
  /** `waiting`: its upload is not complete, or it is read within seconds. */
  state: enums(['waiting', 'read', 'refused']),
  format: nullable(enums(sbomFormats)),
  format_version: nullable(string()),
  component_count: integer(),
  /** Of a refused file: the first field that breaks a rule, as a dotted path ('' for the whole file), and the rule. */
  problem: nullable(SbomField),
  /** Of a file that was read: the first `sbomLimits.notes` fields that were cut or left out. */
  notes: array(SbomField),
  /** How many fields were cut or left out. */
  note_count: integer(),
  read_at: nullable(Timestamp),
})
export type Sbom = Infer<typeof Sbom>

const fields = {
  name: string(),
  version: nullable(string()),
  /** Package URL, such as pkg:npm/react@19.0.0. */
  purl: nullable(string()),
  licence: nullable(string()),
  /** As 'sha256:…', in the algorithm of the file. */
  hash: nullable(string()),
  supplier: nullable(string()),
}
/** A component as an SBOM states it. */
export const ComponentFacts = type(fields)
export type ComponentFacts = Infer<typeof ComponentFacts>
export const Component = type({ id: string(), asset_id: Id, ...fields })
export type Component = Infer<typeof Component>

export const FoundComponent = type({
  ...Component.schema,
  release: type({ id: Id, name: string(), version: integer(), display_version: nullable(string()), state: string() }),
  /** Devices that run the release now. */
  devices: integer(),
})
export type FoundComponent = Infer<typeof FoundComponent>

const componentChangeKinds = ['added', 'removed', 'changed'] as const
export const ComponentDifference = type({
  change: enums(componentChangeKinds),
  before: nullable(ComponentFacts),
  after: nullable(ComponentFacts),
})
export type ComponentDifference = Infer<typeof ComponentDifference>

const ofRelease = requires(onObject('release', 'releaseId'), 'project:view')

export const releaseSboms = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/sboms',
  summary: 'List the SBOM files of a release, with what reading each one gave.',
  needs: ofRelease,
  audit: 'none',
  rate: 'read',
  answer: type({ sboms: array(Sbom) }),
})
export const releaseComponents = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/components',
  summary: 'List the components of a release, by name.',
  needs: ofRelease,
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('components', Component),
})

/** How many differences one comparison lists. */
export const maxComponentDifferences = 2000
export const componentDifferences = endpoint({
  method: 'GET',
  path: '/releases/:releaseId/component_changes',
  summary: 'List the components that a release adds, removes or changes compared with another release of the project.',
  needs: ofRelease,
  audit: 'none',
  rate: 'read',
  query: object({ before: Id }),
  answer: type({
    /** Components of each release: 0 if it has no SBOM that could be read. */
    total: type({ before: integer(), after: integer() }),
    counts: type({ added: integer(), removed: integer(), changed: integer() }),
    /** The first `maxComponentDifferences`: changed, added, removed, each by name. */
    differences: array(ComponentDifference),
  }),
})
export type ComponentComparison = Infer<(typeof componentDifferences)['answer']>

export const findComponents = endpoint({
  method: 'GET',
  path: '/projects/:projectId/components',
  summary: 'Find the releases of a project that contain a component, with the devices that run them.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object({
    ...listQuery,
    /** The exact version of the component. */
    version: optional(text('Version', { max: 256 })),
  }),
  answer: listOf('components', FoundComponent),
})
