import { crc32, deflateSync } from 'node:zlib'

export const chunk = (name: string, data: Buffer): Buffer<ArrayBuffer> => {
  const body = Buffer.concat([Buffer.from(name, 'latin1'), data])
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  check.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, check])
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')

type Twists = { more?: Buffer[]; pixels?: Buffer; interlaced?: boolean; kind?: number }

/** A PNG of one color, in eight bits of red, green, blue; with chunks and pixels that a real one would not have. */
export const png = (
  width: number,
  height: number,
  { more = [], pixels, interlaced, kind = 2 }: Twists = {},
): Buffer<ArrayBuffer> => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header.set([8, kind, 0, 0, interlaced ? 1 : 0], 8)
  const line = Buffer.alloc(1 + width * 3, 0x90)
  line[0] = 0
  const raw = pixels ?? Buffer.concat(Array.from({ length: height }, () => line))
  const parts = [chunk('IHDR', header), ...more, chunk('IDAT', deflateSync(raw)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...parts])
}

const read = (base64: string) => Buffer.from(base64, 'base64')

/** Six by four pixels, as browsers write them, with nothing but the picture. */
export const small = {
  jpeg: read(
    '/9j/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAEAAYDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAwT/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCIAyx//9k=',
  ),
  webp: read('UklGRjAAAABXRUJQVlA4ICQAAABwAQCdASoGAAQABABoJaACdAFAAAD+6NcFXq8yr2881vYMqAA='),
  lossless: read('UklGRh4AAABXRUJQVlA4TBEAAAAvBcAAAAdQmEJWr/+BiOh/AAA='),
  alpha: read(
    'UklGRlYAAABXRUJQVlA4WAoAAAAQAAAABQAAAwAAQUxQSAsAAAABDzCAERGiBxH9DwBWUDggJAAAAHABAJ0BKgYABAAEAGgliAJ0AYhAAP7ozW3rFMPdMekkPAAAAA==',
  ),
}

/** A segment inserted after the first two bytes of a JPEG. */
export const segment = (code: number, text: string): Buffer => {
  const head = Buffer.from([0xff, code, 0, 0])
  head.writeUInt16BE(2 + text.length, 2)
  return Buffer.concat([small.jpeg.subarray(0, 2), head, Buffer.from(text, 'latin1'), small.jpeg.subarray(2)])
}

/** A chunk appended to a WebP, whose length is updated. */
export const part = (webp: Buffer, name: string, text: string): Buffer => {
  const head = Buffer.alloc(8)
  head.write(name, 'latin1')
  head.writeUInt32LE(text.length, 4)
  const whole = Buffer.concat([webp, head, Buffer.from(text, 'latin1'), Buffer.alloc(text.length % 2)])
  whole.writeUInt32LE(whole.length - 8, 4)
  return whole
}
