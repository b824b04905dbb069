import { type ComponentFacts, type Sbom, sbomLimits } from '../../../../contract/updates/components'
import { inside, isObject, Notes, type Place, type SbomNote } from './fields'
import { fromCycloneDx, fromSpdx } from './formats'
import { findJsonBreach } from './json-limits'

export type ReadSbom = {
  format: NonNullable<Sbom['format']>
  formatVersion: string
  components: ComponentFacts[]
  /** The first fields that were cut or left out, and how many there are. */
  notes: SbomNote[]
  noteCount: number
}

/** Thrown for a file that is refused. */
export class RefusedSbom extends Error {
  readonly problem: SbomNote
  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`)
    this.problem = { field: field.slice(0, 200), rule }
  }
}
export const tooLarge = `Larger than ${sbomLimits.bytes / 1_048_576} MB`
const refuse = (field: string, rule: string): never => {
  throw new RefusedSbom(field, rule)
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** The depth is checked before, so that recursion is safe. The path is one list: a file has a million values. */
const checkKeys = (outer: object, path: string[]): void => {
  for (const [key, value] of Object.entries(outer)) {
    const isInner = typeof value === 'object' && value !== null
    if (!isInner && !forbiddenKeys.has(key)) continue
    path.push(key)
    if (forbiddenKeys.has(key)) refuse(path.join('.'), 'This key is not allowed')
    if (isInner) checkKeys(value as object, path)
    path.pop()
  }
}

const decode = (bytes: Uint8Array): string => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return refuse('', 'Not JSON in UTF-8')
  }
}

const parseJson = (bytes: Uint8Array): Record<string, unknown> => {
  if (bytes.length > sbomLimits.bytes) refuse('', tooLarge)
  const text = decode(bytes)
  const breach = findJsonBreach(text, sbomLimits)
  if (breach) refuse(breach.path, breach.rule)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse('', 'Not JSON in UTF-8')
  }
  return isObject(value) ? value : refuse('', 'Must be an object')
}

type Level = { items: readonly unknown[]; at: number }

/** Each component with its place, those inside others too; without recursion. */
function* walk(outer: Record<string, unknown>, key: string, notes: Notes): Generator<{ value: unknown; place: Place }> {
  const first = outer[key] ?? []
  if (!Array.isArray(first)) return refuse(key, 'Must be a list')
  const stack: Level[] = [{ items: first, at: 0 }]
  const path = () => stack.map(({ at }) => `${key}.${at - 1}`).join('.')
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.at === top.items.length) {
      stack.pop()
      continue
    }
    const value = top.items[top.at++]
    const place = { notes, path }
    yield { value, place }
    const inner = isObject(value) ? value[key] : undefined
    if (Array.isArray(inner)) stack.push({ items: inner, at: 0 })
    else if (inner !== undefined && inner !== null) notes.add(inside(place, key).path, 'Not a list: left out')
  }
}

const readAll = (
  file: Record<string, unknown>,
  key: string,
  read: (found: Record<string, unknown>, place: Place) => ComponentFacts | null,
): Pick<ReadSbom, 'components' | 'notes' | 'noteCount'> => {
  const components: ComponentFacts[] = []
  const notes = new Notes()
  for (const { value, place } of walk(file, key, notes)) {
    const component = isObject(value) ? read(value, place) : null
    if (!isObject(value)) notes.add(place.path, 'Not an object: left out')
    if (component === null) continue
    if (components.length === sbomLimits.components)
      refuse(key, `Too many components: at most ${sbomLimits.components.toLocaleString('en')}`)
    components.push(component)
  }
  return { components, notes: notes.list, noteCount: notes.count }
}

/** A short text of the file in a sentence. */
const quoted = (value: unknown) =>
  typeof value === 'string'
    ? value
        .toWellFormed()
        .replace(/[^\x20-\x7e]/g, '?')
        .slice(0, 40)
    : '?'

const cycloneDxVersions = ['1.2', '1.3', '1.4', '1.5', '1.6']
const spdxVersions = ['SPDX-2.2', 'SPDX-2.3']

/** The components of a CycloneDX or SPDX file in JSON. Throws `RefusedSbom` with the field and the rule for any other file. */
export const parseSbom = (bytes: Uint8Array): ReadSbom => {
  const file = parseJson(bytes)
  checkKeys(file, [])
  const { bomFormat, specVersion, spdxVersion } = file
  if (bomFormat === 'CycloneDX') {
    if (typeof specVersion !== 'string' || !cycloneDxVersions.includes(specVersion))
      return refuse('specVersion', `CycloneDX ${quoted(specVersion)}: versions 1.2 to 1.6 are read`)
    return { format: 'cyclonedx', formatVersion: specVersion, ...readAll(file, 'components', fromCycloneDx) }
  }
  if (typeof spdxVersion === 'string') {
    if (!spdxVersions.includes(spdxVersion))
      return refuse('spdxVersion', `${quoted(spdxVersion).replace('SPDX-', 'SPDX ')}: versions 2.2 and 2.3 are read`)
    return { format: 'spdx', formatVersion: spdxVersion.replace('SPDX-', ''), ...readAll(file, 'packages', fromSpdx) }
  }
  return refuse('', 'Neither CycloneDX (bomFormat) nor SPDX (spdxVersion) in JSON')
}
