import { describe, expect, it } from 'vitest'
import { sbomLimits } from '../../../../contract/components'
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
const nothing = { version: null, purl: null, licence: null, hash: null, supplier: null }

describe('CycloneDX', () => {
  it('gives name, version, package URL, licence, hash and supplier of each component', async () => {
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
    expect(await parseSbom(bytesOf(cyclonedx([component])))).toEqual({
      format: 'cyclonedx',
      formatVersion: '1.6',
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

  it('gives components inside others, each after the one that contains it', async () => {
    const inner = { name: 'b', components: [{ name: 'c', licenses: [{ expression: 'MIT OR Apache-2.0' }] }] }
    const { components } = await parseSbom(bytesOf(cyclonedx([{ name: 'a', components: [inner] }, { name: 'd' }])))
    expect(components.map(({ name, licence }) => [name, licence])).toEqual([
      ['a', null],
      ['b', null],
      ['c', 'MIT OR Apache-2.0'],
      ['d', null],
    ])
  })

  it.each(['1.4', '1.5', '1.6'])('is read in version %s, also without components', async (specVersion) => {
    const { components } = await parseSbom(bytesOf({ bomFormat: 'CycloneDX', specVersion }))
    expect(components).toEqual([])
  })

  it('may begin with a byte order mark', async () => {
    const text = `\ufeff${JSON.stringify(cyclonedx([{ name: 'a' }]))}`
    expect((await parseSbom(bytesOf(text))).components).toEqual([{ name: 'a', ...nothing }])
  })
})

describe('SPDX', () => {
  it.each(['SPDX-2.2', 'SPDX-2.3'])('gives the packages of %s', async (spdxVersion) => {
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
    expect(await parseSbom(bytesOf({ spdxVersion, packages: [found, { name: 'bare', licenseConcluded: 'NONE' }] }))).toEqual({
      format: 'spdx',
      formatVersion: spdxVersion.slice(5),
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
    ['an old version of CycloneDX', { bomFormat: 'CycloneDX', specVersion: '1.2' }, 'specVersion', /known values/],
    ['an old version of SPDX', { spdxVersion: 'SPDX-2.1' }, 'spdxVersion', /known values/],
    ['another format under the key of CycloneDX', { bomFormat: 'Own', specVersion: '1.6' }, 'bomFormat', /known values/],
    ['components that are no list', cyclonedx({ length: 1 }), 'components', 'Must be a list'],
    [
      'components inside others that are no list',
      cyclonedx([{ name: 'a', components: 'b' }]),
      'components.0.components',
      'Must be a list',
    ],
    ['a component that is a text', cyclonedx(['a']), 'components.0', /./],
    ['a component without a name', cyclonedx([{ name: 'a' }, { version: '1' }]), 'components.1.name', 'Name is required'],
    ['a name that is a number', cyclonedx([{ name: 7 }]), 'components.0.name', /Name must be/],
    ['a name that is too long', cyclonedx([{ name: 'a'.repeat(257) }]), 'components.0.name', /256 characters/],
    ['a NUL in a name', cyclonedx([{ name: 'a\0b' }]), 'components.0.name', /control characters/],
    [
      'half a character',
      String.raw`{"spdxVersion":"SPDX-2.3","packages":[{"name":"\ud800"}]}`,
      'packages.0.name',
      /control characters/,
    ],
    [
      'a package URL of another scheme',
      cyclonedx([{ name: 'a', purl: 'javascript:alert(1)' }]),
      'components.0.purl',
      /starts with pkg:/,
    ],
    [
      'a hash that is none',
      cyclonedx([{ name: 'a', hashes: [{ alg: 'MD5', content: 'x' }] }]),
      'components.0.hashes.0.content',
      /hexadecimal/,
    ],
    [
      'licences of a wrong type',
      cyclonedx([{ name: 'a', licenses: [{ license: 'MIT' }] }]),
      'components.0.licenses.0.license',
      /./,
    ],
    ['checksums of a wrong type', spdx([{ name: 'a', checksums: {} }]), 'packages.0.checksums', /./],
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
    ['a file above the limit', Buffer.alloc(sbomLimits.bytes + 1, ' '), '', 'Larger than 16 MB'],
    [
      'too many components',
      spdx(Array.from({ length: sbomLimits.components + 1 }, () => ({ name: 'a' }))),
      'packages',
      'More than 20,000 components',
    ],
  ])('%s', async (_, file, field, rule) => {
    const bytes = Buffer.isBuffer(file) ? file : bytesOf(file)
    const refused = await parseSbom(bytes).then(
      () => null,
      (error: unknown) => error,
    )
    expect(refused).toBeInstanceOf(RefusedSbom)
    const { problem } = refused as RefusedSbom
    expect(problem.field.startsWith(field) && (field !== '' || problem.field === ''), problem.field).toBe(true)
    expect(problem.rule).toMatch(rule)
    expect(({} as { components?: unknown }).components).toBeUndefined()
  })

  it('a file at the limits of nesting and count is read', async () => {
    const packages = Array.from({ length: sbomLimits.components }, (_, n) => ({ name: `p${n}` }))
    expect((await parseSbom(bytesOf(spdx(packages)))).components).toHaveLength(sbomLimits.components)
    // Each component takes two levels: itself and its list.
    expect((await parseSbom(bytesOf(cyclonedx([nested(30)])))).components).toHaveLength(31)
  })
})
