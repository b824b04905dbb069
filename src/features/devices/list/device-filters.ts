import { formatDate } from '../../../lib/dates'
import { connectivityDisplay, healthDisplay, lifecycleDisplay, updateGroupDisplay } from '../../../lib/status-display'
import { attributesOf, type DevicesChange, type DevicesSearch } from './devices-search'

/** An active filter as words, and the change that removes it. */
type ActiveFilter = { key: string; field: string; value: string; clear: DevicesChange }

const wordOf = {
  connectivity: connectivityDisplay,
  lifecycle: lifecycleDisplay,
  update: updateGroupDisplay,
  health: healthDisplay,
}
const stated = [
  ['connectivity', 'Connectivity'],
  ['lifecycle', 'Lifecycle'],
  ['update', 'Update'],
  ['health', 'Health'],
] as const

/** As on Monitor. */
export const attentionWords: Readonly<Record<NonNullable<DevicesSearch['attention']>, string>> = {
  any: 'Any reason',
  critical: 'Critical health',
  failed: 'Failed update',
  revoked: 'Revoked release',
  offline: 'Offline',
  warning: 'Health warning',
  pending: 'Waiting to be accepted',
  flapping: 'Flapping',
}

const tagsText = (
  names: readonly string[],
  mode: DevicesSearch['tag_mode'] = 'any',
  known: ReadonlySet<string> = new Set(names),
) => {
  const list = names.map((name) => (known.has(name) ? name : `${name} (no such tag)`)).join(', ')
  if (mode === 'none') return names.length === 1 ? `not ${list}` : `none of ${list}`
  return names.length === 1 ? list : `${mode} of ${list}`
}

/** The active filters in the order of the list's fields. `tags`: all of the project, `release`: what the first device runs, once known. */
export const activeFilters = (
  search: DevicesSearch,
  tags?: readonly { name: string }[],
  release?: string | null,
): ActiveFilter[] => {
  const known = tags && new Set(tags.map(({ name }) => name))
  const filters: ActiveFilter[] = []
  const add = (key: string, field: string, value: string | undefined, clear: DevicesChange) => {
    if (value !== undefined) filters.push({ key, field, value, clear })
  }
  for (const [key, field] of stated) {
    const value = search[key]
    add(key, field, value && wordOf[key](value).word, { [key]: undefined })
  }
  const { attention, version, version_gt: above, version_lt: below, quarantined, last_seen_before: before } = search
  add('attention', 'Attention', attention && attentionWords[attention].toLowerCase(), { attention: undefined })
  add('version', 'Version', version, { version: undefined })
  add('version_gt', 'Version', above === undefined ? undefined : `above ${above}`, { version_gt: undefined })
  add('version_lt', 'Version', below === undefined ? undefined : `below ${below}`, { version_lt: undefined })
  add('release_id', 'Release', search.release_id && (release ?? 'selected'), { release_id: undefined })
  add('tag', 'Tag', search.tag && tagsText(search.tag, search.tag_mode, known), { tag: undefined, tag_mode: undefined })
  add('hardware_model', 'Model', search.hardware_model, { hardware_model: undefined })
  add('quarantined', 'Quarantine', quarantined === undefined ? undefined : quarantined ? 'yes' : 'no', { quarantined: undefined })
  add('trusts_key', 'Trusts key', search.trusts_key?.slice(0, 8), { trusts_key: undefined })
  add('last_seen_before', 'Last seen', before && `before ${formatDate(new Date(before))}`, { last_seen_before: undefined })
  add('import_id', 'Import', search.import_id && 'selected', { import_id: undefined })
  for (const [parameter, value] of attributesOf(search))
    add(parameter, parameter.slice('attr.'.length), value, { [parameter]: undefined })
  return filters
}
