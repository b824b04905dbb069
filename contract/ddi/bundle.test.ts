import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import '../../tests/support/fixed-seed'
import {
  bundleHeadBytes,
  bundleTailBytes,
  maxDescriptionBytes,
  describeMisfit,
  listWarnings,
  readBundle,
  readCpioEntry,
  readSoftwareVersion,
} from './bundle'
import { mcubootImage, raucBundle, softwareDescription, swuArchive } from './bundle.fixture'

const read = (file: Uint8Array) => readBundle(file.subarray(0, bundleHeadBytes), file.subarray(-bundleTailBytes), file.length)

describe('a bundle', () => {
  it.each(['070701', '070702'] as const)('of SWUpdate is a cpio archive %s that begins with sw-description', (magic) => {
    const archive = swuArchive(softwareDescription('1.0.1'), { magic })
    expect(read(archive)).toEqual({ kind: 'swupdate', version: '1.0.1', isUnsigned: false })
    const first = readCpioEntry(archive, 0)
    const second = readCpioEntry(archive, first?.next ?? 0)
    const third = readCpioEntry(archive, second?.next ?? 0)
    const names = ['sw-description', 'sw-description.sig', 'rootfs.img']
    expect([first?.name, second?.name, third?.name, third?.size]).toEqual([...names, 300_000])
  })

  it('of SWUpdate without a signature file after its description is unsigned, and a warning names it', () => {
    const unsigned = read(swuArchive(softwareDescription('1.0.1'), { isSigned: false }))
    expect(unsigned).toEqual({ kind: 'swupdate', version: '1.0.1', isUnsigned: true })
    expect(listWarnings('app.swu', unsigned)).toEqual([expect.stringMatching(/^app\.swu has no sw-description\.sig/)])
    for (const bundle of [undefined, read(swuArchive(softwareDescription('1.0.1'))), read(raucBundle(1500))])
      expect(listWarnings('app.swu', bundle)).toEqual([])
  })

  it('of SWUpdate whose next file is beyond the bytes read is not called unsigned', () => {
    const description = softwareDescription('1.0.1').padEnd(bundleHeadBytes - 150)
    expect(read(swuArchive(description, { isSigned: false }))).toMatchObject({ kind: 'swupdate', isUnsigned: false })
  })

  it('of SWUpdate with its description elsewhere, empty or cut is of another format', () => {
    expect(read(swuArchive(softwareDescription('1.0.1'), { first: 'rootfs.img' }))).toBe(undefined)
    expect(read(swuArchive(''))).toBe(undefined)
    expect(readBundle(swuArchive(softwareDescription('1.0.1')).subarray(0, 150), new Uint8Array(8), 300_000)).toBe(undefined)
  })

  it.each([1500, 65_536])('of RAUC ends with a CMS of %d bytes and its size, also behind an encrypted payload', (size) => {
    for (const start of ['hsqs', 'pP:9']) {
      expect(read(raucBundle(size, { start }))).toEqual({ kind: 'rauc', version: null, isUnsigned: false })
    }
  })

  it('of RAUC without a CMS before its size, or with one that RAUC does not read by default, is of another format', () => {
    for (const size of [0, 10, 65_537, 1_000_000]) expect(read(raucBundle(size))).toBe(undefined)
    const other = raucBundle(1500)
    other[other.length - 1508 + 14] = 1
    expect(read(other)).toBe(undefined)
  })

  it('of Zephyr is an MCUboot image with its version in the header', () => {
    expect(read(mcubootImage(1, 2, 300, 0))).toEqual({ kind: 'zephyr', version: '1.2.300', isUnsigned: false })
    expect(read(mcubootImage(1, 2, 3, 44))).toEqual({ kind: 'zephyr', version: '1.2.3+44', isUnsigned: false })
  })

  it('of random bytes, or cut anywhere, is read without an error', () => {
    const samples = [swuArchive(softwareDescription('1.0.1')), raucBundle(1500), mcubootImage(1, 2, 3, 4)]
    fc.assert(
      fc.property(fc.constantFrom(...samples), fc.nat(400), fc.uint8Array({ maxLength: 200 }), (sample, cut, noise) => {
        read(sample.slice(0, cut))
        read(noise)
        const spoilt = sample.slice()
        spoilt.set(noise.subarray(0, Math.max(0, spoilt.length - cut)), Math.min(cut, spoilt.length))
        read(spoilt)
      }),
    )
  })
})

it.each(['\\"', '"', '/*', '//', '#', 'a ', 'software:{', '{', '-', '\\'])(
  'a description of %j repeated is read in a time that grows with its length',
  (form) => {
    const cost = (bytes: number) => {
      const text = `software={ "${form.repeat(bytes / form.length)}`
      const times = Array.from({ length: 5 }, () => {
        const before = process.cpuUsage()
        readSoftwareVersion(text)
        readSoftwareVersion(text.slice(12))
        const { user, system } = process.cpuUsage(before)
        return (user + system) / 1000
      })
      return Math.min(...times)
    }
    // 16 times the length: a square would take 256 times as long. The addend is for short times.
    expect(cost(16 * maxDescriptionBytes) / (cost(maxDescriptionBytes) + 2)).toBeLessThan(100)
  },
)

it('a description above its limit has no version, and the bundle its kind', () => {
  const description = softwareDescription('1.0.1').padEnd(maxDescriptionBytes + 1)
  expect(read(swuArchive(description))).toEqual({ kind: 'swupdate', version: null, isUnsigned: false })
})

describe('the version of a sw-description', () => {
  it.each([
    ['of libconfig', softwareDescription('2.1'), '2.1'],
    ['after an image with a version', 'software = { images: ( { version = "9"; } ); version = "2.1"; };', '2.1'],
    ['in JSON', '{"software": {"images": [{"version": "9"}], "version": "2.1"}}', '2.1'],
    ['in a comment', 'software = {\n# version = "1";\n/* version = "2"; */\n version = "2.1"; // "3"\n}', '2.1'],
    ['with an address in quotes', 'software = { url = "http://a//b"; version = "2.1"; }', '2.1'],
    ['only of an image', 'software = { images: ( { version = "9"; } ); };', null],
    ['without software', 'version = "2.1";', null],
    ['of a number', 'software = { version = 2; }', null],
  ])('%s', (_, description, version) => expect(readSoftwareVersion(description)).toBe(version))
})

it('a bundle that does not fit is named with the model and what that needs', () => {
  const swu = { kind: 'swupdate', version: null, isUnsigned: false } as const
  expect(describeMisfit({ id: 'gw', kind: 'swupdate' }, swu)).toBe(null)
  expect(describeMisfit({ id: 'gw', kind: 'other' }, undefined)).toBe(null)
  expect(describeMisfit({ id: 'gw', kind: 'rauc' }, swu)).toBe(
    'gw needs a RAUC bundle (.raucb), and the file is an SWUpdate image (.swu)',
  )
  expect(describeMisfit({ id: 'gw', kind: 'zephyr' }, undefined)).toBe(
    'gw needs an MCUboot image, and the file is of another format',
  )
  expect(describeMisfit({ id: 'gw', kind: 'teasel' }, swu)).toBe('gw runs the Teasel agent, which installs no bundles')
})
