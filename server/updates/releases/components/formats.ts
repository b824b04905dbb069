import { type ComponentFacts, sbomLimits } from '../../../../contract/updates/components'
import { inside, type Place, readHashes, readList, readObject, readPackageUrl, readText } from './fields'

type Found = Readonly<Record<string, unknown>>

// With its group at most 512 characters, which an index can hold.
const name = { most: 256, canCut: true }
const group = { most: 255, canCut: true }
const version = { most: 256 }
const supplier = { most: 256, canCut: true }
const licence = { most: 1024, canCut: true }

const nameOf = (found: Found, place: Place): string | null => {
  const text = readText(found.name, name, inside(place, 'name'))
  if (text === null) place.notes.add(inside(place, 'name').path, 'No name: the component is left out')
  return text
}

const readCycloneDxLicence = (item: unknown, place: Place): string[] => {
  const found = readObject(item, place)
  if (!found) return []
  const expression = readText(found.expression, licence, inside(place, 'expression'))
  if (expression !== null) return [expression]
  const own = readObject(found.license, inside(place, 'license'))
  const text =
    readText(own?.id, licence, inside(inside(place, 'license'), 'id')) ??
    readText(own?.name, licence, inside(inside(place, 'license'), 'name'))
  return text === null ? [] : [text]
}

/** A component of CycloneDX 1.2 to 1.6 (ECMA-424). Fields that are not shown are not read. */
export const fromCycloneDx = (found: Found, place: Place): ComponentFacts | null => {
  const own = nameOf(found, place)
  if (own === null) return null
  const family = readText(found.group, group, inside(place, 'group'))
  const licences = readList(found.licenses, sbomLimits.inner, inside(place, 'licenses')).flatMap((item, n) =>
    readCycloneDxLicence(item, inside(inside(place, 'licenses'), n)),
  )
  const maker = readObject(found.supplier, inside(place, 'supplier'))
  return {
    name: family === null ? own : `${family}/${own}`,
    version: readText(found.version, version, inside(place, 'version')),
    purl: readPackageUrl(found.purl, inside(place, 'purl')),
    licence: readText([...new Set(licences)].join(', '), licence, inside(place, 'licenses')),
    hash: readHashes(found.hashes, ['alg', 'content'], inside(place, 'hashes')),
    supplier:
      readText(maker?.name, supplier, inside(inside(place, 'supplier'), 'name')) ??
      readText(found.publisher, supplier, inside(place, 'publisher')),
  }
}

/** A package has hundreds of references to advisories at most; the package URL may be the last of them. */
const mostReferences = 1000

/** A package of SPDX 2.2 (ISO/IEC 5962) or 2.3. */
export const fromSpdx = (found: Found, place: Place): ComponentFacts | null => {
  const own = nameOf(found, place)
  if (own === null) return null
  const at = inside(place, 'externalRefs')
  const references = readList(found.externalRefs, mostReferences, at)
  const n = references.findIndex(
    (one) => typeof one === 'object' && one !== null && 'referenceType' in one && one.referenceType === 'purl',
  )
  const locator = n < 0 ? undefined : readObject(references[n], at)?.referenceLocator
  return {
    name: own,
    version: readText(found.versionInfo, version, inside(place, 'versionInfo')),
    purl: readPackageUrl(locator, inside(inside(at, n), 'referenceLocator')),
    licence:
      readText(found.licenseConcluded, licence, inside(place, 'licenseConcluded')) ??
      readText(found.licenseDeclared, licence, inside(place, 'licenseDeclared')),
    hash: readHashes(found.checksums, ['algorithm', 'checksumValue'], inside(place, 'checksums')),
    supplier: readText(found.supplier, supplier, inside(place, 'supplier'))?.replace(/^(?:Organization|Person): */, '') ?? null,
  }
}
