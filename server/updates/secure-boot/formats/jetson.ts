import { FormatError, type Reader } from './reader'

// NVIDIA Jetson: docs.nvidia.com/jetson, "Fuse Configuration File". The image headers are not in public documents.
const maxBytes = 65_536
/** 0x46555345 is in the files of the older tool for Jetson Nano and TX2. */
const magics = ['0x45535546', '0x46555345']

/** Names that the documents and their examples have, and whether a value is a secret. */
const fuseNames: Readonly<Record<string, { isSecret: boolean }>> = {
  PublicKeyHash: { isSecret: false },
  PkcPubkeyHash1: { isSecret: false },
  PkcPubkeyHash2: { isSecret: false },
  BootSecurityInfo: { isSecret: false },
  SecurityMode: { isSecret: false },
  ArmJtagDisable: { isSecret: false },
  PkcDisable: { isSecret: false },
  ReservedOdm: { isSecret: false },
  ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`ReservedOdm${n}`, { isSecret: false }])),
  SecureBootKey: { isSecret: true },
  OemK1: { isSecret: true },
  OemK2: { isSecret: true },
  Kek0: { isSecret: true },
  Kek1: { isSecret: true },
  Kek2: { isSecret: true },
  Kek256: { isSecret: true },
  OdmId: { isSecret: true },
  OdmInfo: { isSecret: false },
  PscOdmStatic: { isSecret: false },
}

export type Fuse = {
  name: string
  offset: number
  length: number
  size: number
  isKnown: boolean
  isSecret: boolean
  /** In hex; null where the value is a secret, or the name is not known. */
  value: string | null
  /** Bytes of the value. */
  valueBytes: number
}

/** One element for each fuse. No general XML: entities, comments and other elements are refused. */
export const parseFuseConfiguration = async (reader: Reader): Promise<Fuse[]> => {
  if (reader.size > maxBytes) throw new FormatError('too_large', `The file has more than ${maxBytes} bytes`, 0)
  const text = (await reader.bytes(0, reader.size, 'The fuse configuration')).toString('latin1')
  const outer =
    /^(?:\ufeff|\xef\xbb\xbf)?\s*(?:<\?xml[^<>]{0,200}\?>\s*)?<genericfuse((?:\s+\w+="[^"<>]*")*)\s*>([^]*)<\/genericfuse>\s*$/.exec(
      text,
    )
  if (!outer) throw new FormatError('xml', 'The file is no <genericfuse> element', 0)
  const magic = /\sMagicId="([^"]*)"/.exec(outer[1] ?? '')?.[1]
  if (!magics.includes((magic ?? '').toLowerCase()))
    throw new FormatError(
      'magic',
      `MagicId is ${magic ?? 'missing'}, expected ${magics[0]}`,
      Math.max(0, text.indexOf('MagicId')),
    )
  const body = outer[2] ?? ''
  const base = text.lastIndexOf('</genericfuse>') - body.length
  const fuses: Fuse[] = []
  let at = 0
  const element =
    /\s*(?:<!--(?:[^-]|-(?!-)){0,2000}-->\s*)*<fuse\s+name="(\w{1,64})"\s+size="(\d{1,4})"\s+value="([^"<>]{0,2048})"\s*\/>\s*/y
  while (at < body.length) {
    element.lastIndex = at
    const found = element.exec(body)
    if (!found) {
      if (/^\s*(?:<!--(?:[^-]|-(?!-)){0,2000}-->\s*)*$/.test(body.slice(at))) break
      throw new FormatError('xml', 'This is no <fuse name size value/> element', base + at)
    }
    const [whole, name = '', size = '', raw = ''] = found
    const words = raw.trim().split(/\s+/)
    if (!words.every((word) => /^0x[0-9a-f]{1,128}$/i.test(word)))
      throw new FormatError('value', `The value of ${name} is no hexadecimal number`, base + at, whole.length)
    const value = words.map((word) => word.slice(2)).join('')
    const known = fuseNames[name]
    fuses.push({
      name,
      offset: base + at + whole.indexOf('<fuse'),
      length: whole.trim().length,
      size: Number(size),
      isKnown: known !== undefined,
      isSecret: known?.isSecret ?? true,
      value: known && !known.isSecret ? value.toLowerCase() : null,
      valueBytes: Math.ceil(value.length / 2),
    })
    at += whole.length
  }
  if (fuses.length === 0) throw new FormatError('xml', 'The file names no fuse', 0)
  return fuses
}
