import { sbomLimits } from '../../../../contract/updates/components'

/** A field that was cut or left out, with its dotted path. */
export type SbomNote = { field: string; rule: string }

/** Collects what was cut or left out: all are counted, the first ones kept. */
export class Notes {
  readonly list: SbomNote[] = []
  count = 0

  add(path: () => string, rule: string): void {
    this.count += 1
    if (this.list.length < sbomLimits.notes) this.list.push({ field: path().slice(0, 200), rule })
  }
}

/** Where a field is; the text is made for a note only. */
export type Place = { notes: Notes; path: () => string }

export const inside = ({ notes, path }: Place, step: string | number): Place => ({ notes, path: () => `${path()}.${step}` })

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// oxlint-disable-next-line no-control-regex -- naming control characters is the rule itself
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/g

const isLonger = (text: string, most: number) => text.length > most && (text.length > 2 * most || [...text].length > most)

const absent = new Set(['', 'NOASSERTION', 'NONE'])

type TextRule = {
  most: number
  /** Whether a part of it is of use: of a name, not of a version. */
  canCut?: boolean
}

/** The text of a field; null if there is none, or none that can be kept. */
export const readText = (value: unknown, { most, canCut = false }: TextRule, place: Place): string | null => {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string') {
    place.notes.add(place.path, 'Not text: left out')
    return null
  }
  const isLong = isLonger(value, most)
  if (isLong && !canCut) {
    place.notes.add(place.path, `Longer than ${most.toLocaleString('en')} characters: left out`)
    return null
  }
  const kept = isLong
    ? Array.from(value.slice(0, 2 * most))
        .slice(0, most)
        .join('')
    : value
  const clean = kept.toWellFormed().replace(control, '').trim()
  if (isLong) place.notes.add(place.path, `Longer than ${most.toLocaleString('en')} characters: cut`)
  else if (clean !== value.trim()) place.notes.add(place.path, 'Control characters and incomplete characters were removed')
  return absent.has(clean) ? null : clean
}

/** The items of a list inside a component, at most `most`. */
export const readList = (value: unknown, most: number, place: Place): readonly unknown[] => {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    place.notes.add(place.path, 'Not a list: left out')
    return []
  }
  if (value.length > most) place.notes.add(place.path, `Too many items: at most ${most}, the others are left out`)
  return value.slice(0, most)
}

/** The object; undefined with a note for another value. */
export const readObject = (value: unknown, place: Place): Record<string, unknown> | undefined => {
  if (isObject(value)) return value
  if (value !== undefined && value !== null) place.notes.add(place.path, 'Not an object: left out')
  return undefined
}

export const readPackageUrl = (value: unknown, place: Place): string | null => {
  const text = readText(value, { most: 1024 }, place)
  if (text === null || /^pkg:\S+$/.test(text)) return text
  place.notes.add(place.path, 'Not a package URL (pkg: without spaces): left out')
  return null
}

const algorithms = /^[A-Za-z0-9][A-Za-z0-9-]{0,31}$/
/** The names of SPDX and of CycloneDX for the same algorithm: SHA256, SHA-256. SHA3-256 keeps its hyphen. */
const nameOf = (algorithm: string) => algorithm.toLowerCase().replace(/^sha-(?=\d)/, 'sha')
const byStrength = ['sha256', 'sha512', 'sha384', 'sha3-256', 'sha3-512', 'sha3-384', 'blake3', 'blake2b-256', 'sha1', 'md5']
const rankOf = (hash: string) =>
  (byStrength.indexOf(hash.slice(0, hash.indexOf(':'))) + byStrength.length + 1) % (byStrength.length + 1)

const readHash = (item: unknown, [algorithmKey, valueKey]: readonly [string, string], place: Place): string[] => {
  const found = readObject(item, place)
  if (!found) return []
  const algorithm = readText(found[algorithmKey], { most: 32 }, inside(place, algorithmKey))
  const value = readText(found[valueKey], { most: 256 }, inside(place, valueKey))
  if (algorithm === null || value === null) return []
  if (algorithms.test(algorithm) && /^[0-9A-Fa-f]{8,256}$/.test(value)) return [`${nameOf(algorithm)}:${value.toLowerCase()}`]
  place.notes.add(inside(place, valueKey).path, 'Not a hash in hexadecimal digits: left out')
  return []
}

/** One hash of a component, as 'sha256:…': its SHA-256, or else the strongest one. */
export const readHashes = (value: unknown, keys: readonly [string, string], place: Place): string | null => {
  const hashes = readList(value, sbomLimits.inner, place).flatMap((item, n) => readHash(item, keys, inside(place, n)))
  return hashes.toSorted((a, b) => rankOf(a) - rankOf(b))[0] ?? null
}
