// Sample bundles for tests, made as the tools of the three clients make them.

const ascii = (text: string) => new TextEncoder().encode(text)

const concat = (...parts: Uint8Array[]) => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

const hex = (value: number) => value.toString(16).padStart(8, '0')
const padding = (length: number) => new Uint8Array((4 - (length % 4)) % 4)

const cpioEntry = (magic: string, name: string, data: Uint8Array) => {
  const fields = [1, 0o100_644, 0, 0, 1, 0, data.length, 0, 0, 0, 0, name.length + 1, 0]
  const head = ascii(`${magic}${fields.map(hex).join('')}${name}\0`)
  return concat(head, padding(head.length), data, padding(data.length))
}

export const softwareDescription = (version: string) =>
  `software =\n{\n  version = "${version}";\n  hardware-compatibility: [ "1.0" ];\n  images: (\n    { filename = "rootfs.img"; type = "rawfile"; path = "/opt/app.bin"; }\n  );\n}\n`

export const swuArchive = (
  description: string,
  {
    magic = '070702',
    first = 'sw-description',
    isSigned = true,
  }: { magic?: '070701' | '070702'; first?: string; isSigned?: boolean } = {},
) =>
  concat(
    cpioEntry(magic, first, ascii(description)),
    // No real CMS: only the client reads it.
    ...(isSigned ? [cpioEntry(magic, 'sw-description.sig', new Uint8Array(900))] : []),
    cpioEntry(magic, 'rootfs.img', new Uint8Array(300_000)),
    cpioEntry(magic, 'TRAILER!!!', new Uint8Array(0)),
  )

/** `signature`: the size at the end; of the CMS before it there are the first bytes. */
export const raucBundle = (signature: number, { start = 'hsqs' } = {}) => {
  const signed = Uint8Array.of(0x30, 0x82, 0x05, 0xd8, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07, 0x02)
  const payload = new Uint8Array(4096)
  payload.set(ascii(start))
  const cms = new Uint8Array(Math.min(signature, 131_072))
  cms.set(signed.subarray(0, cms.length))
  const bytes = concat(payload, cms, new Uint8Array(8))
  new DataView(bytes.buffer).setBigUint64(bytes.length - 8, BigInt(signature))
  return bytes
}

export const mcubootImage = (major: number, minor: number, revision: number, build: number) => {
  const bytes = new Uint8Array(2048)
  const header = new DataView(bytes.buffer)
  header.setUint32(0, 0x96_f3_b8_3d, true)
  header.setUint16(8, 32, true)
  header.setUint32(12, 1500, true)
  header.setUint8(20, major)
  header.setUint8(21, minor)
  header.setUint16(22, revision, true)
  header.setUint32(24, build, true)
  return bytes
}
