import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { chunk, part, png, segment, small } from '../../../tests/support/pictures'
import { cleanPicture, pictureType } from './picture'

const codeOf = async (file: Buffer) => {
  const read = await cleanPicture(file)
  return 'problem' in read ? read.code : read.type
}
const kept = async (file: Buffer) => {
  const read = await cleanPicture(file)
  if ('problem' in read) throw new Error(read.problem)
  return read.bytes
}

/** A progressive JPEG whose last scan is repeated: each costs a pass over all pixels. */
const withScans = async (count: number) => {
  const file = await sharp(png(64, 64)).jpeg({ progressive: true }).toBuffer()
  const lastAt = file.lastIndexOf(Buffer.from('ffda', 'hex'))
  const scan = file.subarray(lastAt, -2)
  return Buffer.concat([file.subarray(0, lastAt), ...Array.from({ length: count }, () => scan), file.subarray(-2)])
}
/** The small JPEG whose frame claims `side` lines. */
const withSize = (side: number) => {
  const file = Buffer.from(small.jpeg)
  file.writeUInt16BE(side, file.indexOf(Buffer.from('ffc0', 'hex')) + 5)
  return file
}

describe('a picture', () => {
  it.each([
    ['PNG', png(6, 4), 'image/png'],
    ['JPEG', small.jpeg, 'image/jpeg'],
    ['WebP', small.webp, 'image/webp'],
    ['lossless WebP', small.lossless, 'image/webp'],
    ['WebP with alpha', small.alpha, 'image/webp'],
    ['PNG of the largest size', png(1024, 1024), 'image/png'],
  ])('is taken by its first bytes: %s', async (_, file, type) => {
    expect(await codeOf(file)).toBe(type)
  })
  it.each([
    ['nothing', Buffer.alloc(0)],
    ['text', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>')],
    ['a page', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a GIF', Buffer.from('GIF89a\u0001\u0000\u0001\u0000\u0000\u0000\u0000;', 'latin1')],
    ['a PDF', Buffer.from('%PDF-1.7 ............')],
  ])('is nothing else: %s', async (_, file) => {
    expect(await codeOf(file)).toBe('type')
  })
  it.each([
    ['a PNG cut short', png(6, 4).subarray(0, 50)],
    ['a PNG with a wrong checksum', Buffer.from(png(6, 4)).fill(1, 30, 31)],
    ['a PNG with fewer pixels than it says', png(6, 4, { pixels: Buffer.alloc(10) })],
    ['a PNG with a filter that does not exist', png(1, 1, { pixels: Buffer.from([9, 0, 0, 0]) })],
    ['a PNG of a kind that does not exist', png(6, 4, { kind: 5 })],
    ['an interlaced PNG', png(6, 4, { interlaced: true })],
    ['a JPEG cut short', small.jpeg.subarray(0, 200)],
    ['a JPEG without its end', small.jpeg.subarray(0, -2)],
    ['a JPEG of one marker', Buffer.from('ffd8ffd9ffd9ffd9ffd9ffd9', 'hex')],
    ['a WebP that says it is longer', Buffer.from(small.webp).fill(0x7f, 4, 5)],
    ['a WebP without a picture', part(Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), 'EXIF', 'x')],
    ['a JPEG with text for a table of numbers', segment(0xdb, '<script>alert(1)</script>')],
    ['a JPEG with text behind a table of numbers', segment(0xdb, `\0${'n'.repeat(64)}<script>alert(1)</script>`)],
    ['a JPEG with text for a code table', segment(0xc4, '<script>alert(1)</script>')],
    ['a JPEG with text for a restart interval', segment(0xdd, '<script>alert(1)</script>')],
    ['a JPEG with text in its Adobe segment', segment(0xee, 'Adobe<script>alert(1)</script>')],
    [
      'a PNG in front of a page',
      Buffer.concat([png(6, 4).subarray(0, 33), Buffer.from('<!doctype html><script>alert(1)</script>')]),
    ],
    ['a WebP around a page', part(Buffer.from('RIFF\0\0\0\0WEBP', 'latin1'), 'VP8 ', '<!doctype html><script>alert(1)</script>')],
  ])('is whole and well formed: not %s', async (_, file) => {
    expect(await codeOf(Buffer.from(file))).toBe('damaged')
  })
  it.each([
    [1025, 1],
    [1, 1025],
    [4_000_000, 4_000_000],
  ])('has 1024 pixels a side at most: not %i × %i', async (width, height) => {
    expect(await codeOf(png(width, height, { pixels: Buffer.alloc(4) }))).toBe('dimensions')
  })
})

describe('T-15: a hostile picture', () => {
  it.each([
    [
      'an SVG that is named a PNG',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
    ],
    ['a page behind the first bytes of a GIF', Buffer.from('GIF89a/*<script>*/=1;alert(1)//</script>')],
    ['a bitmap', Buffer.from(`BM${'x'.repeat(100)}<script>alert(1)</script>`)],
    ['an icon', Buffer.concat([Buffer.from('00000100', 'hex'), png(6, 4)])],
    ['a page in front of a JPEG', Buffer.concat([Buffer.from('<script>alert(1)</script>'), small.jpeg])],
    ['a byte order mark in front of a PNG', Buffer.concat([Buffer.from('efbbbf', 'hex'), png(6, 4)])],
  ])('is refused by its first bytes: %s', async (_, file) => {
    expect(await codeOf(Buffer.from(file))).toBe('type')
  })
  it.each([
    ['a JPEG', 1025, withSize(1025), 'dimensions'],
    ['a JPEG', 65_535, withSize(65_535), 'damaged'],
    ['a JPEG without a height', 0, withSize(0), 'damaged'],
  ])('%s of %i pixels is refused without reading them', async (_, __, file, code) => {
    expect(await codeOf(file)).toBe(code)
  })
  it('of 2,000 progressive scans is refused', async () => {
    expect(await codeOf(await withScans(1))).toBe('image/jpeg')
    expect(await codeOf(await withScans(2000))).toBe('damaged')
  })
  it.each([
    // 100 MB of zeros in 100 kB.
    ['more pixels than it says', png(6, 4, { pixels: Buffer.alloc(100_000_000) })],
    ['an animation', part(small.webp, 'ANIM', '......')],
    ['a second picture', part(small.webp, 'VP8 ', 'x'.repeat(20))],
  ])('with %s keeps one picture of the size that it says', async (_, file) => {
    const bytes = await kept(file)
    const { width, height, pages } = await sharp(bytes).metadata()
    expect([width, height, pages]).toEqual([6, 4, undefined])
    expect(bytes.length).toBeLessThan(200)
  })
  it('of another kind is not even decoded in this process', async () => {
    await kept(png(6, 4))
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="6" height="4"/>')
    await expect(sharp(svg).metadata()).rejects.toThrow('unsupported image format')
  })
  it('cut at any byte of its pixels is refused, never an error', async () => {
    // A PNG without its end still has all of its pixels.
    for (const file of [png(6, 4).subarray(0, -12), small.jpeg, small.webp, small.lossless, small.alpha])
      for (let length = 0; length < file.length; length += 1)
        expect(['type', 'damaged'], `${length} of ${file.length}`).toContain(await codeOf(Buffer.from(file.subarray(0, length))))
  })
  it('with one byte changed is refused or keeps its type, never an error', async () => {
    for (const file of [png(6, 4), small.jpeg, small.webp, small.lossless, small.alpha])
      for (let at = 0; at < file.length; at += 1)
        for (const value of [0, 0x7f, 0xff]) {
          const changed = Buffer.from(file)
          changed[at] = value
          const read = await cleanPicture(changed)
          if ('bytes' in read) expect(pictureType(read.bytes)).toBe(read.type)
          else expect(['type', 'damaged', 'dimensions']).toContain(read.code)
        }
  })
  it('keeps its type after re-encoding: the served type is read from the bytes', async () => {
    for (const file of [png(6, 4), small.jpeg, small.webp, small.lossless, small.alpha]) {
      const read = await cleanPicture(Buffer.from(file))
      expect('type' in read && pictureType(read.bytes)).toBe('type' in read && read.type)
    }
    expect(pictureType(Buffer.from('<!doctype html><script>alert(1)</script>'))).toBeUndefined()
    expect(pictureType(Buffer.alloc(3))).toBeUndefined()
  })
})

describe('what is kept of a picture says nothing about where and by whom it was taken', () => {
  it.each([
    ['text of a PNG', png(6, 4, { more: [chunk('tEXt', Buffer.from('Comment\0at home'))] }), png(6, 4)],
    ['Exif of a PNG', png(6, 4, { more: [chunk('eXIf', Buffer.from('at home'))] }), png(6, 4)],
    ['what hangs behind a PNG', Buffer.concat([png(6, 4), Buffer.from('<script>at home</script>')]), png(6, 4)],
    ['Exif of a JPEG', segment(0xe1, 'Exif\0\0at home'), small.jpeg],
    ['a comment of a JPEG', segment(0xfe, 'at home'), small.jpeg],
    ['what hangs behind a JPEG', Buffer.concat([small.jpeg, Buffer.from('PK at home')]), small.jpeg],
    ['Exif of a WebP', part(small.webp, 'EXIF', 'at home'), small.webp],
    ['a profile beside alpha', part(small.alpha, 'ICCP', 'at home'), small.alpha],
    ['what hangs behind a WebP', Buffer.concat([small.webp, Buffer.from('at home')]), small.webp],
  ])('%s', async (_, file, clean) => {
    const bytes = await kept(file)
    expect(file.includes('at home')).toBe(true)
    expect(bytes.includes('at home')).toBe(false)
    expect(bytes).toEqual(await kept(clean))
  })
  it('and its pixels stay as they are', async () => {
    const pixelsOf = (file: Buffer) => sharp(file).ensureAlpha().raw().toBuffer()
    for (const file of [png(6, 4), small.jpeg, small.webp, small.lossless, small.alpha]) {
      const [before, after] = [await pixelsOf(file), await pixelsOf(await kept(file))]
      expect(after.length).toBe(before.length)
      // JPEG and WebP lose a little with each encoding.
      expect(Math.max(...before.map((value, at) => Math.abs(value - (after[at] ?? 0))))).toBeLessThan(8)
    }
    expect(await kept(await kept(png(6, 4)))).toEqual(await kept(png(6, 4)))
  })
  it('and it is turned as its Exif said', async () => {
    const turned = await sharp(png(6, 4)).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const { width, height, exif } = await sharp(await kept(turned)).metadata()
    expect([width, height, exif]).toEqual([4, 6, undefined])
  })
})
