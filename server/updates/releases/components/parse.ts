import { setImmediate as nextTurn } from 'node:timers/promises'
import { array, enums, type Infer, literal, nullable, optional, string, type Struct, type, validate } from 'superstruct'
import { type ComponentFacts, type Sbom, sbomLimits } from '../../../../contract/components'
import { fieldErrors } from '../../../../contract/field-errors'
import { findUnstorable, pattern, text } from '../../../../contract/rules'

export type ReadSbom = { format: NonNullable<Sbom['format']>; formatVersion: string; components: ComponentFacts[] }
type SbomProblem = NonNullable<Sbom['problem']>

/** Thrown for a file that is refused. */
export class RefusedSbom extends Error {
  readonly problem: SbomProblem
  constructor(field: string, rule: string) {
    super(`${field}: ${rule}`)
    this.problem = { field: field.slice(0, 200), rule }
  }
}
export const tooLarge = `Larger than ${sbomLimits.bytes / 1_048_576} MB`
const refuse = (field: string, rule: string): never => {
  throw new RefusedSbom(field, rule)
}

const some = (label: string, max: number) => optional(nullable(text(label, { min: 0, max, lines: true })))
// With its group at most 512 characters, which an index can hold.
const name = text('Name', { max: 256 })
const packageUrl = pattern('purl', /^(?:pkg:\S{1,1020})?$/, 'A package URL starts with pkg: and has at most 1,024 characters')
const algorithm = text('Algorithm', { max: 32 })
const hash = pattern('hash', /^[0-9A-Fa-f]{32,256}$/, 'A hash has 32 to 256 hexadecimal digits')
const listIn = <T, S>(item: Struct<T, S>) => optional(nullable(array(item)))

// CycloneDX 1.4 to 1.6 (ECMA-424). Fields that are not shown are neither read nor checked.
const CycloneDxComponent = type({
  name,
  group: some('Group', 255),
  version: some('Version', 256),
  purl: optional(nullable(packageUrl)),
  publisher: some('Publisher', 256),
  supplier: optional(nullable(type({ name: some('Supplier', 256) }))),
  hashes: listIn(type({ alg: algorithm, content: hash })),
  licenses: listIn(
    type({
      expression: some('Licence expression', 1024),
      license: optional(nullable(type({ id: some('Licence', 256), name: some('Licence', 1024) }))),
    }),
  ),
})
const CycloneDx = type({ bomFormat: literal('CycloneDX'), specVersion: enums(['1.4', '1.5', '1.6']) })

// SPDX 2.2 (ISO/IEC 5962) and 2.3.
const SpdxPackage = type({
  name,
  versionInfo: some('Version', 256),
  supplier: some('Supplier', 256),
  licenseConcluded: some('Licence', 1024),
  licenseDeclared: some('Licence', 1024),
  checksums: listIn(type({ algorithm, checksumValue: hash })),
  externalRefs: listIn(type({ referenceType: string(), referenceLocator: text('Reference', { min: 0, max: 1024 }) })),
})
const Spdx = type({ spdxVersion: enums(['SPDX-2.2', 'SPDX-2.3']) })

const stated = (value: string | null | undefined) =>
  value === undefined || value === null || value === '' || value === 'NOASSERTION' || value === 'NONE' ? null : value

type Hash = { algorithm: string; value: string }
const hashOf = (found: readonly Hash[]) => {
  const named = found.map((one) => ({ ...one, algorithm: one.algorithm.toLowerCase().replaceAll('-', '') }))
  const best = named.find((one) => one.algorithm === 'sha256') ?? named[0]
  return best ? `${best.algorithm}:${best.value.toLowerCase()}` : null
}

const fromCycloneDx = (found: Infer<typeof CycloneDxComponent>): ComponentFacts => {
  const licences = found.licenses?.flatMap(
    ({ expression, license }) => stated(expression) ?? stated(license?.id) ?? stated(license?.name) ?? [],
  )
  return {
    name: stated(found.group) === null ? found.name : `${found.group}/${found.name}`,
    version: stated(found.version),
    purl: stated(found.purl),
    licence: stated(licences?.join(', ').slice(0, 1024)),
    hash: hashOf((found.hashes ?? []).map(({ alg, content }) => ({ algorithm: alg, value: content }))),
    supplier: stated(found.supplier?.name) ?? stated(found.publisher),
  }
}

const fromSpdx = (found: Infer<typeof SpdxPackage>): ComponentFacts => {
  const locator = found.externalRefs?.find(({ referenceType }) => referenceType === 'purl')?.referenceLocator
  return {
    name: found.name,
    version: stated(found.versionInfo),
    purl: stated(locator),
    licence: stated(found.licenseConcluded) ?? stated(found.licenseDeclared),
    hash: hashOf((found.checksums ?? []).map((one) => ({ algorithm: one.algorithm, value: one.checksumValue }))),
    supplier: stated(found.supplier?.replace(/^(?:Organization|Person): */, '')),
  }
}

const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype'])

/** Checks nesting and keys level by level, without recursion: a hostile file must not exhaust the stack. */
const checkStructure = (value: object): void => {
  let level: { outer: object; path: string }[] = [{ outer: value, path: '' }]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > sbomLimits.depth) refuse(level[0]?.path ?? '', `Nested deeper than ${sbomLimits.depth} levels`)
    const next: typeof level = []
    for (const { outer, path } of level)
      for (const [key, inner] of Object.entries(outer)) {
        const own = path === '' ? key : `${path}.${key}`
        if (forbiddenKeys.has(key)) refuse(own, 'This key is not allowed')
        if (typeof inner === 'object' && inner !== null) next.push({ outer: inner, path: own })
      }
    level = next
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parseJson = (bytes: Uint8Array): Record<string, unknown> => {
  if (bytes.length > sbomLimits.bytes) refuse('', tooLarge)
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return refuse('', 'Not JSON in UTF-8')
  }
  return isObject(value) ? value : refuse('', 'Must be an object')
}

const checked = <T, S>(value: unknown, struct: Struct<T, S>, path: string): T => {
  const [error, valid] = validate(value, struct, { coerce: true })
  if (!error) return valid
  const [first] = fieldErrors(error)
  return refuse([path, first?.field].filter(Boolean).join('.'), first?.message ?? 'Not valid')
}

const listAt = (outer: Record<string, unknown>, key: string, path: string): unknown[] => {
  const value = outer[key] ?? []
  return Array.isArray(value) ? value : refuse(path, 'Must be a list')
}

/** Each component with its path, those inside others too; without recursion. */
function* walk(outer: Record<string, unknown>, key: string): Generator<{ value: unknown; path: string }> {
  const stack = [{ items: listAt(outer, key, key), path: key, at: 0 }]
  for (let top = stack.at(-1); top; top = stack.at(-1)) {
    if (top.at === top.items.length) {
      stack.pop()
      continue
    }
    const path = `${top.path}.${top.at}`
    const value = top.items[top.at++]
    yield { value, path }
    if (isObject(value)) stack.push({ items: listAt(value, key, `${path}.${key}`), path: `${path}.${key}`, at: 0 })
  }
}

/** How many components are checked before requests are served again. */
const turn = 200

const readAll = async <T, S>(
  file: Record<string, unknown>,
  key: string,
  struct: Struct<T, S>,
  read: (value: T) => ComponentFacts,
): Promise<ComponentFacts[]> => {
  const components: ComponentFacts[] = []
  for (const { value, path } of walk(file, key)) {
    if (components.length === sbomLimits.components)
      refuse(key, `More than ${sbomLimits.components.toLocaleString('en')} components`)
    const component = read(checked(value, struct, path))
    if (findUnstorable(component) !== undefined) refuse(path, 'Contains NUL or incomplete characters')
    components.push(component)
    if (components.length % turn === 0) await nextTurn()
  }
  return components
}

/** The components of a CycloneDX or SPDX file in JSON. Throws `RefusedSbom` with the field and the rule for any other file. */
export const parseSbom = async (bytes: Uint8Array): Promise<ReadSbom> => {
  const file = parseJson(bytes)
  checkStructure(file)
  if (Object.hasOwn(file, 'bomFormat')) {
    const { specVersion } = checked(file, CycloneDx, '')
    const components = await readAll(file, 'components', CycloneDxComponent, fromCycloneDx)
    return { format: 'cyclonedx', formatVersion: specVersion, components }
  }
  if (Object.hasOwn(file, 'spdxVersion')) {
    const { spdxVersion } = checked(file, Spdx, '')
    const components = await readAll(file, 'packages', SpdxPackage, fromSpdx)
    return { format: 'spdx', formatVersion: spdxVersion.replace('SPDX-', ''), components }
  }
  return refuse('', 'Neither CycloneDX (bomFormat) nor SPDX (spdxVersion)')
}
