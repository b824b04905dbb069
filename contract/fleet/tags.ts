import { enums, type Infer, integer, object, optional, string, type } from 'superstruct'
import { booleanParam, pattern, text } from '../core/rules'
import { endpoint, requires, inProject, onObject } from '../core/endpoint'
import { listOf, listQuery } from '../core/lists'
import { entity } from '../core/shapes'

/** Ten named colors; the theme gives each enough contrast in light and dark. */
export const tagColours = ['stone', 'clay', 'ochre', 'moss', 'fern', 'lagoon', 'sky', 'iris', 'bloom', 'rose'] as const
export const TagColour = enums(tagColours)
export type TagColour = Infer<typeof TagColour>

export const Tag = type({
  ...entity,
  name: string(),
  colour: TagColour,
  description: string(),
  device_count: integer(),
  used_by_rollouts: integer(),
  /** Of those that are active: they give it to new devices. */
  used_by_enrollment_tokens: integer(),
})
export type Tag = Infer<typeof Tag>

/** `sys.` is reserved for computed tags. */
export const TagName = pattern(
  'pattern',
  /^(?!sys\.)[a-z0-9][a-z0-9._-]{0,62}$/,
  'Use lower-case letters, digits, dots, dashes and underscores',
)
const description = text('Description', { min: 0, max: 256 })

export const NewTag = object({ name: TagName, colour: TagColour, description: optional(description) })

export const tags = endpoint({
  method: 'GET',
  path: '/projects/:projectId/tags',
  summary: 'List the tags of a project.',
  needs: requires(inProject, 'project:view'),
  audit: 'none',
  rate: 'read',
  query: object(listQuery),
  answer: listOf('tags', Tag),
})
export const createTag = endpoint({
  method: 'POST',
  path: '/projects/:projectId/tags',
  summary: 'Create a tag.',
  needs: requires(inProject, 'project:manage_devices'),
  audit: 'tag.create',
  rate: 'write',
  body: NewTag,
  answer: Tag,
  status: 201,
})
export const tag = endpoint({
  method: 'GET',
  path: '/tags/:tagId',
  summary: 'Get a tag.',
  needs: requires(onObject('tag', 'tagId'), 'project:view'),
  audit: 'none',
  rate: 'read',
  answer: Tag,
})
export const updateTag = endpoint({
  method: 'PATCH',
  path: '/tags/:tagId',
  summary: 'Change a tag.',
  needs: requires(onObject('tag', 'tagId'), 'project:manage_devices'),
  audit: 'tag.update',
  rate: 'write',
  conditional: true,
  body: object({ name: optional(TagName), colour: optional(TagColour), description: optional(description) }),
  answer: Tag,
})
export const deleteTag = endpoint({
  method: 'DELETE',
  path: '/tags/:tagId',
  summary: 'Delete a tag. 409 in_use unless forced.',
  needs: requires(onObject('tag', 'tagId'), 'project:manage_devices'),
  audit: 'tag.delete',
  rate: 'write',
  conditional: true,
  query: object({ force: optional(booleanParam) }),
  answer: 'none',
})
