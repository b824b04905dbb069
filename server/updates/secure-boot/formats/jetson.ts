import { FormatError, type Reader } from './reader'

// NVIDIA Jetson: docs.nvidia.com/jetson r38.4, "Fuse Configuration File". The image headers are not in public documents.
const maxBytes = 65_536
/** 0x46555345 is in the files of the older tool for Jetson Nano and TX2. */
const magics = ['0x45535546', '0x46555345']

const secrets = [
  // Orin; OdmId is an identity of the product.
  'OdmId',
  'SecureBootKey',
  'Kdk0',
  'OemK1',
  'OemK2',
  // Thor.
  ...['Psc', 'Oesp', 'Sb'].flatMap((part) => [`${part}OemKdk0`, `${part}OemKdk1`, `${part}SecureBootKey`]),
  // Older parts (meta-tegra, "Secure Boot Support").
  'Kek2',
  'Kek256',
]
const plain = [
  'OdmInfo',
  'ArmJtagDisable',
  ...Array.from({ length: 8 }, (_, n) => `ReservedOdm${n}`),
  'OptInEnable',
  'PublicKeyHash',
  'PkcPubkeyHash1',
  'PkcPubkeyHash2',
  'PscOdmStatic',
  'BootSecurityInfo',
  'SecurityMode',
  // Nano.
  'ReservedOdm',
  'PkcDisable',
]
/** The names of the reference files for Orin and Thor, and of examples for older parts; whether a value is a secret. */
const fuseNames = new Map([...secrets.map((name) => [name, true] as const), ...plain.map((name) => [name, false] as const)])

type Fuse = {
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

/** One element for each fuse, beside comments and that of the RPMB key. No general XML: anything else is refused. */
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
    /\s*(?:(?:<!--(?:[^-]|-(?!-)){0,2000}-->|<rpmb(?: +\w{1,32}="[^"<>]{0,64}"){0,8} *\/>)\s*)*<fuse\s+name="(\w{1,64})"\s+size="(\d{1,4})"\s+value="([^"<>]{0,2048})"\s*\/>\s*/y
  while (at < body.length) {
    element.lastIndex = at
    const found = element.exec(body)
    if (!found) {
      if (/^\s*(?:(?:<!--(?:[^-]|-(?!-)){0,2000}-->|<rpmb(?: +\w{1,32}="[^"<>]{0,64}"){0,8} *\/>)\s*)*$/.test(body.slice(at)))
        break
      throw new FormatError('xml', 'This is no <fuse name size value/> element', base + at)
    }
    const [whole, name = '', size = '', raw = ''] = found
    const words = raw.trim().split(/\s+/)
    if (!words.every((word) => /^0x[0-9a-f]{1,128}$/i.test(word)))
      throw new FormatError('value', `The value of ${name} is no hexadecimal number`, base + at, whole.length)
    const value = words.map((word) => word.slice(2)).join('')
    const isSecret = fuseNames.get(name)
    fuses.push({
      name,
      offset: base + at + whole.indexOf('<fuse'),
      length: whole.trim().length,
      size: Number(size),
      isKnown: isSecret !== undefined,
      isSecret: isSecret ?? true,
      value: isSecret === false ? value.toLowerCase() : null,
      valueBytes: Math.ceil(value.length / 2),
    })
    at += whole.length
  }
  if (fuses.length === 0) throw new FormatError('xml', 'The file names no fuse', 0)
  return fuses
}
