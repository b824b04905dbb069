import { describe, expect, it } from 'vitest'
import { sbomLimits } from '../../../../contract/updates/components'
import { parseSbom, RefusedSbom } from './parse'

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const cyclonedx = (components: unknown, more: object = {}) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  components,
  ...more,
})
const spdx = (packages: unknown, more: object = {}) => ({ spdxVersion: 'SPDX-2.3', packages, ...more })
const sha256 = 'ab'.repeat(32)
const refusalOf = (bytes: Buffer): RefusedSbom => {
  try {
    parseSbom(bytes)
  } catch (error) {
    if (error instanceof RefusedSbom) return error
    throw error
  }
  throw new Error('The file was not refused')
}
const nothing = { version: null, purl: null, licence: null, hash: null, supplier: null }

describe('CycloneDX', () => {
  it('gives name, version, package URL, licence, hash and supplier of each component', () => {
    const component = {
      type: 'library',
      group: '@acme',
      name: 'openssl',
      version: '3.0.13',
      purl: 'pkg:generic/openssl@3.0.13',
      hashes: [
        { alg: 'MD5', content: 'cd'.repeat(16) },
        { alg: 'SHA-256', content: sha256.toUpperCase() },
      ],
      licenses: [{ license: { id: 'Apache-2.0' } }, { license: { name: 'Own licence' } }],
      supplier: { name: 'OpenSSL Software Foundation' },
      publisher: 'Someone else',
    }
    expect(parseSbom(bytesOf(cyclonedx([component])))).toEqual({
      format: 'cyclonedx',
      formatVersion: '1.6',
      notes: [],
      noteCount: 0,
      components: [
        {
          name: '@acme/openssl',
          version: '3.0.13',
          purl: 'pkg:generic/openssl@3.0.13',
          licence: 'Apache-2.0, Own licence',
          hash: `sha256:${sha256}`,
          supplier: 'OpenSSL Software Foundation',
        },
      ],
    })
  })

  it('gives components inside others, each after the one that contains it', () => {
    const inner = { name: 'b', components: [{ name: 'c', licenses: [{ expression: 'MIT OR Apache-2.0' }] }] }
    const { components } = parseSbom(bytesOf(cyclonedx([{ name: 'a', components: [inner] }, { name: 'd' }])))
    expect(components.map(({ name, licence }) => [name, licence])).toEqual([
      ['a', null],
      ['b', null],
      ['c', 'MIT OR Apache-2.0'],
      ['d', null],
    ])
  })

  it.each(['1.2', '1.3', '1.4', '1.5', '1.6'])('is read in version %s, also without components', (specVersion) => {
    const { components } = parseSbom(bytesOf({ bomFormat: 'CycloneDX', specVersion }))
    expect(components).toEqual([])
  })

  it('may begin with a byte order mark', () => {
    const text = `\ufeff${JSON.stringify(cyclonedx([{ name: 'a' }]))}`
    expect(parseSbom(bytesOf(text)).components).toEqual([{ name: 'a', ...nothing }])
  })
})

describe('SPDX', () => {
  it.each(['SPDX-2.2', 'SPDX-2.3'])('gives the packages of %s', (spdxVersion) => {
    const found = {
      SPDXID: 'SPDXRef-zlib',
      name: 'zlib',
      versionInfo: '1.3.1',
      supplier: 'Organization: zlib.net',
      licenseConcluded: 'NOASSERTION',
      licenseDeclared: 'Zlib',
      checksums: [{ algorithm: 'SHA256', checksumValue: sha256 }],
      externalRefs: [
        { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: 'cpe:2.3:a:zlib' },
        { referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: 'pkg:generic/zlib@1.3.1' },
      ],
    }
    expect(parseSbom(bytesOf({ spdxVersion, packages: [found, { name: 'bare', licenseConcluded: 'NONE' }] }))).toEqual({
      format: 'spdx',
      formatVersion: spdxVersion.slice(5),
      notes: [],
      noteCount: 0,
      components: [
        {
          name: 'zlib',
          version: '1.3.1',
          purl: 'pkg:generic/zlib@1.3.1',
          licence: 'Zlib',
          hash: `sha256:${sha256}`,
          supplier: 'zlib.net',
        },
        { name: 'bare', ...nothing },
      ],
    })
  })
})

describe('T-15 a hostile SBOM is refused with the field and the rule', () => {
  const deep = (levels: number) => `{"bomFormat":"CycloneDX","x":${'['.repeat(levels)}${']'.repeat(levels)}}`
  const nested = (levels: number): object => (levels === 0 ? { name: 'last' } : { name: 'n', components: [nested(levels - 1)] })

  it.each<[string, unknown, string, string | RegExp]>([
    ['no JSON', '<bom/>', '', 'Not JSON in UTF-8'],
    ['bytes that are not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), '', 'Not JSON in UTF-8'],
    ['a list', [], '', 'Must be an object'],
    ['null', 'null', '', 'Must be an object'],
    ['another JSON', { name: 'package' }, '', /^Neither CycloneDX/],
    [
      'a newer version of CycloneDX',
      { bomFormat: 'CycloneDX', specVersion: '1.7' },
      'specVersion',
      /^CycloneDX 1\.7: versions 1\.2 to 1\.6 are read$/,
    ],
    ['a version that is no text', { bomFormat: 'CycloneDX', specVersion: 1.6 }, 'specVersion', /^CycloneDX \?: versions/],
    ['an old version of SPDX', { spdxVersion: 'SPDX-2.1' }, 'spdxVersion', /^SPDX 2\.1: versions 2\.2 and 2\.3 are read$/],
    ['another format under the key of CycloneDX', { bomFormat: 'Own', specVersion: '1.6' }, '', /^Neither CycloneDX/],
    ['components that are no list', cyclonedx({ length: 1 }), 'components', 'Must be a list'],
    [
      'a prototype',
      '{"bomFormat":"CycloneDX","specVersion":"1.6","__proto__":{"components":[]}}',
      '__proto__',
      'This key is not allowed',
    ],
    [
      'a prototype in a component',
      '{"spdxVersion":"SPDX-2.3","packages":[{"name":"a","constructor":{}}]}',
      'packages.0.constructor',
      'This key is not allowed',
    ],
    ['a million levels', deep(1_000_000), 'x.0.0.0', 'Nested deeper than 64 levels'],
    [
      'components inside components without end',
      cyclonedx([nested(40)]),
      'components.0.components.0',
      'Nested deeper than 64 levels',
    ],
    [
      'more values than the limit',
      `{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"a","licenses":[${'{},'.repeat(sbomLimits.values)}{}]}]}`,
      'components.0.licenses',
      'Too many values: at most 1,000,000',
    ],
    ['a file above the limit', Buffer.alloc(sbomLimits.bytes + 1, ' '), '', 'Larger than 16 MB'],
    [
      'too many components',
      spdx(Array.from({ length: sbomLimits.components + 1 }, () => ({ name: 'a' }))),
      'packages',
      'Too many components: at most 20,000',
    ],
  ])('%s', (_, file, field, rule) => {
    const bytes = Buffer.isBuffer(file) ? file : bytesOf(file)
    const { problem } = refusalOf(bytes)
    expect(problem.field.startsWith(field) && (field !== '' || problem.field === ''), problem.field).toBe(true)
    expect(problem.rule).toMatch(rule)
    expect(({} as { components?: unknown }).components).toBeUndefined()
  })

  it('a file at the limits of nesting, count and values is read', () => {
    const packages = Array.from({ length: sbomLimits.components }, (_, n) => ({ name: `p${n}` }))
    expect(parseSbom(bytesOf(spdx(packages))).components).toHaveLength(sbomLimits.components)
    // Each component takes two levels: itself and its list.
    expect(parseSbom(bytesOf(cyclonedx([nested(30)]))).components).toHaveLength(31)
    // Lists, objects and commas count, and one for the whole: two objects, two lists, two commas before those of the list.
    const before = 7
    const many = `{"spdxVersion":"SPDX-2.3","packages":[{"name":"a","x":[${'1,'.repeat(sbomLimits.values - before)}1]}]}`
    expect(parseSbom(bytesOf(many)).components).toHaveLength(1)
    expect(refusalOf(bytesOf(many.replace('[1,', '[1,1,'))).problem.rule).toMatch(/^Too many values/)
  })
})

describe('an odd field is cut or left out, and the rest is read', () => {
  const a = { name: 'a', version: '1' }
  it.each<[string, object, object, string, RegExp]>([
    [
      'a licence of 2,923 characters',
      cyclonedx([{ ...a, licenses: [{ license: { name: 'L'.repeat(2923) } }] }]),
      { licence: 'L'.repeat(1024) },
      'components.0.licenses.0.license.name',
      /^Longer than 1,024 characters: cut$/,
    ],
    [
      'a publisher above 256',
      cyclonedx([{ ...a, publisher: 'p'.repeat(257) }]),
      { supplier: 'p'.repeat(256) },
      'components.0.publisher',
      /: cut$/,
    ],
    [
      'a name above 256',
      cyclonedx([{ ...a, name: '💡'.repeat(257) }]),
      { name: '💡'.repeat(256) },
      'components.0.name',
      /: cut$/,
    ],
    [
      'a version above 256',
      spdx([{ ...a, versionInfo: '1'.repeat(257) }]),
      { version: null },
      'packages.0.versionInfo',
      /: left out$/,
    ],
    ['a version that is a number', cyclonedx([{ ...a, version: 1.5 }]), { version: null }, 'components.0.version', /^Not text/],
    [
      'a purl with a space',
      cyclonedx([{ ...a, purl: 'pkg:generic/a b@1' }]),
      { purl: null },
      'components.0.purl',
      /^Not a package URL/,
    ],
    [
      'a purl of another scheme',
      spdx([{ name: 'a', externalRefs: [{}, { referenceType: 'purl', referenceLocator: 'javascript:alert(1)' }] }]),
      { purl: null },
      'packages.0.externalRefs.1.referenceLocator',
      /^Not a package URL/,
    ],
    [
      'a hash that is none',
      cyclonedx([{ ...a, hashes: [{ alg: 'MD5', content: 'x' }] }]),
      { hash: null },
      'components.0.hashes.0.content',
      /^Not a hash/,
    ],
    [
      'licences of a wrong type',
      cyclonedx([{ ...a, licenses: [{ license: 'MIT' }, 7] }]),
      { licence: null },
      'components.0.licenses.0.license',
      /^Not an object/,
    ],
    ['checksums of a wrong type', spdx([{ name: 'a', checksums: {} }]), { hash: null }, 'packages.0.checksums', /^Not a list/],
    [
      'too many licences',
      cyclonedx([{ ...a, licenses: Array.from({ length: 65 }, () => ({ license: { id: 'MIT' } })) }]),
      { licence: 'MIT' },
      'components.0.licenses',
      /^Too many items: at most 64/,
    ],
    ['a NUL in a name', cyclonedx([{ ...a, name: 'a\0b' }]), { name: 'ab' }, 'components.0.name', /^Control characters/],
    ['half a character', cyclonedx([{ ...a, name: 'a\ud800' }]), { name: 'a\ufffd' }, 'components.0.name', /incomplete/],
    ['components inside that are no list', cyclonedx([{ ...a, components: 'b' }]), {}, 'components.0.components', /^Not a list/],
  ])('%s', (_, file, expected, field, rule) => {
    const { components, notes, noteCount } = parseSbom(bytesOf(file))
    expect(components).toEqual([expect.objectContaining(expected)])
    expect(noteCount).toBeGreaterThanOrEqual(1)
    expect(notes[0]).toEqual({ field, rule: expect.stringMatching(rule) })
  })

  it.each([
    ['without a name', { version: '1' }, '.name'],
    ['with a number as its name', { name: 7 }, '.name'],
    ['that is a text', 'b', ''],
  ])('a component %s is left out, not the others', (_, odd, field) => {
    const { components, notes } = parseSbom(bytesOf(cyclonedx([{ name: 'a', components: [odd, { name: 'c' }] }])))
    expect(components.map(({ name }) => name)).toEqual(['a', 'c'])
    expect(notes[0]?.field).toBe(`components.0.components.0${field}`)
  })

  it('names the first fields and counts all', () => {
    const { components, notes, noteCount } = parseSbom(bytesOf(spdx(Array.from({ length: 500 }, () => ({})))))
    expect([components.length, notes.length, noteCount]).toEqual([0, sbomLimits.notes, 500])
  })

  it('ADLER32 is a hash, SHA3-256 keeps its hyphen, the strongest hash is kept, and a licence is named once', () => {
    const of = (checksums: object[]) => parseSbom(bytesOf(spdx([{ name: 'a', checksums }])))
    const adler = { algorithm: 'ADLER32', checksumValue: '11E60398' }
    expect(of([adler])).toMatchObject({ components: [{ hash: 'adler32:11e60398' }], noteCount: 0 })
    const sha3 = { algorithm: 'SHA3-256', checksumValue: sha256 }
    expect(of([adler, sha3]).components[0]?.hash).toBe(`sha3-256:${sha256}`)
    const sha1 = { alg: 'SHA-1', content: 'ab'.repeat(20) }
    const licenses = [{ license: { id: 'MIT' } }, { license: { name: 'MIT' } }, { license: { id: 'ISC' } }]
    const { components } = parseSbom(bytesOf(cyclonedx([{ name: 'a', hashes: [sha1], licenses }])))
    expect(components[0]).toMatchObject({ hash: `sha1:${'ab'.repeat(20)}`, licence: 'MIT, ISC' })
  })
})
