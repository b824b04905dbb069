import type { Reader } from './picture'

// ITU-T T.81, table B.1.
const marker = {
  SOF0: 0xc0,
  SOF1: 0xc1,
  SOF2: 0xc2,
  DHT: 0xc4,
  EOI: 0xd9,
  SOS: 0xda,
  DQT: 0xdb,
  DRI: 0xdd,
  APP14: 0xee,
  COM: 0xfe,
}
const frames = new Set([marker.SOF0, marker.SOF1, marker.SOF2])
const tables = new Set([marker.DHT, marker.DQT, marker.DRI])
const isApplication = (code: number) => code >= 0xe0 && code <= 0xef

/** Where the entropy-coded data ends: at the first marker that is neither a stuffed byte nor a restart. */
const scanEnd = (file: Buffer, from: number): number | undefined => {
  for (let at = file.indexOf(0xff, from); at >= 0 && at + 1 < file.length; at = file.indexOf(0xff, at + 1)) {
    const next = file[at + 1] ?? 0
    if (next !== 0 && !(next >= 0xd0 && next <= 0xd7) && next !== 0xff) return at
  }
  return undefined
}

/** The color transform, which only Adobe's APP14 segment gives: twelve bytes with no other data. */
const isAdobe = (code: number, data: Buffer) =>
  code === marker.APP14 && data.length === 12 && data.toString('latin1', 0, 5) === 'Adobe'

// B.2.4.1: a byte of precision and number, then 64 values of one or two bytes; any number of tables in one segment.
const isQuantization = (data: Buffer) => {
  let at = 0
  while (at < data.length) {
    const precision = (data[at] ?? 0) >> 4
    if (precision > 1 || ((data[at] ?? 0) & 0x0f) > 3) return false
    at += 1 + 64 * (precision + 1)
  }
  return at === data.length && at > 0
}

// B.2.4.2: a byte of class and number, 16 counts, then as many values as they add up to.
const isHuffman = (data: Buffer) => {
  let at = 0
  while (at + 17 <= data.length) {
    if ((data[at] ?? 0) >> 4 > 1 || ((data[at] ?? 0) & 0x0f) > 3) return false
    const values = data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    if (values > 256) return false
    at += 17 + values
  }
  return at === data.length && at > 0
}

/** Whether a table holds its numbers only: kept segments are served as they were sent. */
const isTable = (code: number, data: Buffer) => {
  if (code === marker.DQT) return isQuantization(data)
  return code === marker.DHT ? isHuffman(data) : data.length === 2
}

/** Whether a frame or scan header is as long as its count of components says (B.2.2, B.2.3). */
const isFrameHeader = (data: Buffer) => data.length === 6 + 3 * (data[5] ?? 0)
const isScanHeader = (data: Buffer) => data.length === 4 + 2 * (data[0] ?? 0)

/** Progressive pictures have about ten; each costs the browser a pass over all pixels. */
const maxScans = 64

/** Walks the segments and keeps tables, frame and scans: no location, camera, comment, or second picture after the first. */
export const readJpeg: Reader = (file) => {
  const kept = [file.subarray(0, 2)]
  let size: { width: number; height: number } | undefined
  let scans = 0
  for (let at = 2; at + 2 <= file.length;) {
    const code = file[at + 1] ?? 0
    if (file[at] !== 0xff) return undefined
    if (code === marker.EOI)
      return size && scans > 0 ? { ...size, bytes: Buffer.concat([...kept, file.subarray(at, at + 2)]) } : undefined
    if (at + 4 > file.length) return undefined
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length || end < at + 4) return undefined
    const data = file.subarray(at + 4, end)
    const isFrame = frames.has(code)
    if (isFrame) {
      // Eight bits, one or three components; one frame.
      if (size || !isFrameHeader(data) || data[0] !== 8 || ![1, 3].includes(data[5] ?? 0)) return undefined
      size = { height: data.readUInt16BE(1), width: data.readUInt16BE(3) }
    }
    if (tables.has(code) && !isTable(code, data)) return undefined
    if (isFrame || tables.has(code) || isAdobe(code, data)) kept.push(file.subarray(at, end))
    else if (code === marker.SOS) {
      const next = size && isScanHeader(data) && scans < maxScans ? scanEnd(file, end) : undefined
      if (next === undefined) return undefined
      kept.push(file.subarray(at, next))
      scans += 1
      at = next
      continue
    } else if (!isApplication(code) && code !== marker.COM) return undefined
    at = end
  }
  return undefined
}
