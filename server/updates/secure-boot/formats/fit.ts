import type { KeyObject } from 'node:crypto'
import { cellOf, type Fdt, type FdtNode, findNode, parseFdt, propertyOf, stringsOf, textOf, valueOf } from './fdt'
import { type Curve, ecKey, rsaKey, type SignatureForm, verifyRanges } from './public-keys'
import { type ByteRange, FormatError, type Reader } from './reader'

// U-Boot: doc/usage/fit/source_file_format.rst and signature.rst, boot/image-fit-sig.c, boot/fdt_region.c, lib/rsa and lib/ecdsa.
const hashAlgorithms: Readonly<Record<string, string>> = { sha1: 'sha1', sha256: 'sha256', sha384: 'sha384', sha512: 'sha512' }
const dataProperties = new Set(['data', 'data-size', 'data-position', 'data-offset'])
const notImages = new Set(['description', 'compatible', 'default', 'load-only'])
/** Limits of lists. What is beyond one was not checked, so that it is an error. */
const fitLimits = { images: 2048, configurations: 2048, hashes: 16, signatures: 8, properties: 64, keys: 256 } as const

type FitSignature = {
  name: string
  algorithm: string
  keyName: string | null
  offset: number
  value: Buffer
  /** Paths that the signature names as covered. */
  nodes: string[]
  stringsLength: number
}
type FitImage = {
  name: string
  type: string | null
  node: FdtNode
  data: ByteRange | null
  hashes: { algorithm: string; value: Buffer; offset: number }[]
}
type FitConfiguration = { name: string; node: FdtNode; images: string[]; signatures: FitSignature[] }
type Fit = { fdt: Fdt; images: FitImage[]; configurations: FitConfiguration[]; defaultConfiguration: string | null }

const limited = <T>(list: readonly T[], what: keyof typeof fitLimits, node: FdtNode): readonly T[] => {
  if (list.length <= fitLimits[what]) return list
  throw new FormatError('limit', `${node.path} has ${list.length} ${what}, at most ${fitLimits[what]} are read`, node.offset, 4)
}

const subnodes = (node: FdtNode, prefix: 'hash' | 'signature') =>
  limited(
    node.children.filter(({ name }) => name === prefix || name.startsWith(`${prefix}-`) || name.startsWith(`${prefix}@`)),
    prefix === 'hash' ? 'hashes' : 'signatures',
    node,
  )

const readImage = async (reader: Reader, fdt: Fdt, node: FdtNode): Promise<FitImage> => {
  const inside = propertyOf(node, 'data')
  const size = await cellOf(reader, node, 'data-size')
  const [position, offset] = [await cellOf(reader, node, 'data-position'), await cellOf(reader, node, 'data-offset')]
  const base = Math.ceil(fdt.totalSize / 4) * 4
  const outside = position ?? (offset === undefined ? undefined : base + offset)
  const data = inside
    ? { offset: inside.offset, length: inside.length }
    : outside !== undefined && size !== undefined
      ? { offset: outside, length: size }
      : null
  if (data && !reader.has(data.offset, data.length))
    throw new FormatError('truncated', `The data of ${node.path} ends after the file`, node.offset)
  const hashes: FitImage['hashes'] = []
  for (const hash of subnodes(node, 'hash')) {
    const [algorithm, value] = [await textOf(reader, hash, 'algo'), await valueOf(reader, hash, 'value')]
    const place = propertyOf(hash, 'value')
    if (algorithm && value && place) hashes.push({ algorithm, value, offset: place.offset })
  }
  return { name: node.name, type: (await textOf(reader, node, 'type')) ?? null, node, data, hashes }
}

const readSignature = async (reader: Reader, node: FdtNode): Promise<FitSignature | undefined> => {
  const [value, place] = [await valueOf(reader, node, 'value'), propertyOf(node, 'value')]
  const strings = await valueOf(reader, node, 'hashed-strings')
  if (!value || !place) return undefined
  return {
    name: node.name,
    algorithm: (await textOf(reader, node, 'algo')) ?? '',
    keyName: (await textOf(reader, node, 'key-name-hint')) ?? null,
    offset: place.offset,
    value,
    nodes: await stringsOf(reader, node, 'hashed-nodes'),
    stringsLength: strings && strings.length >= 8 ? strings.readUInt32BE(4) : 0,
  }
}

const readConfiguration = async (reader: Reader, known: ReadonlySet<string>, node: FdtNode): Promise<FitConfiguration> => {
  const signatures: FitSignature[] = []
  for (const it of subnodes(node, 'signature')) {
    const signature = await readSignature(reader, it)
    if (signature) signatures.push(signature)
  }
  const images = new Set<string>()
  for (const { name } of limited(node.properties, 'properties', node).filter((it) => !notImages.has(it.name)))
    for (const image of await stringsOf(reader, node, name)) if (known.has(image)) images.add(image)
  return { name: node.name, node, images: [...images], signatures }
}

export const parseFit = async (reader: Reader): Promise<Fit> => {
  const fdt = await parseFdt(reader)
  const [images, configurations] = [findNode(fdt, '/images'), findNode(fdt, '/configurations')]
  if (!images || images.children.length === 0)
    throw new FormatError('images', 'The FIT has no node /images with images', fdt.structure.offset)
  const fit: Fit = { fdt, images: [], configurations: [], defaultConfiguration: null }
  for (const node of limited(images.children, 'images', images)) fit.images.push(await readImage(reader, fdt, node))
  const known = new Set(fit.images.map(({ name }) => name))
  if (configurations)
    for (const node of limited(configurations.children, 'configurations', configurations))
      fit.configurations.push(await readConfiguration(reader, known, node))
  fit.defaultConfiguration = configurations ? ((await textOf(reader, configurations, 'default')) ?? null) : null
  return fit
}

/** Of each hash of the image, whether it is right; null for an algorithm that is not known. */
export const verifyFitHashes = async (reader: Reader, image: FitImage): Promise<(boolean | null)[]> => {
  const results: (boolean | null)[] = []
  for (const { algorithm, value } of image.hashes) {
    const hash = hashAlgorithms[algorithm]
    results.push(hash && image.data ? (await reader.digest(hash, [image.data], `The data of ${image.name}`)).equals(value) : null)
  }
  return results
}

/** The bytes that a signature of a configuration covers: those of its nodes without image data, as `fdt_find_regions` finds them. */
const signedRanges = (fdt: Fdt, nodes: ReadonlySet<string>, stringsLength: number): ByteRange[] => {
  const ranges: ByteRange[] = []
  const wants: number[] = []
  let want = 0
  let start: number | undefined
  const add = (end: number) => {
    if (start !== undefined && end > start) ranges.push({ offset: start, length: end - start })
    start = undefined
  }
  for (const { tag, offset, next, path, property } of fdt.tokens) {
    let isIncluded = false
    let stop = next
    if (tag === 1) {
      wants.push(want)
      if (want === 1) stop = offset
      if (nodes.has(path ?? '')) want = 2
      else if (want > 0) want--
      else stop = offset
      isIncluded = want > 0
    } else if (tag === 2) {
      isIncluded = want > 0
      want = wants.pop() ?? 0
    } else if (tag === 9) isIncluded = true
    else {
      isIncluded = want >= 2 && !(property !== null && dataProperties.has(property))
      stop = offset
    }
    if (isIncluded && start === undefined) {
      const last = ranges.at(-1)
      if (last && last.offset + last.length === offset) {
        start = last.offset
        ranges.pop()
      } else start = offset
    }
    if (!isIncluded) add(stop)
  }
  const end = fdt.tokens.at(-1)
  if (end) add(end.next)
  return [...ranges, { offset: fdt.strings.offset, length: Math.min(stringsLength, fdt.strings.length) }]
}

const formOf = (algorithm: string): { hash: string; form: SignatureForm } | undefined => {
  const [hash = '', kind = '', padding] = algorithm.split(',')
  const known = hashAlgorithms[hash]
  if (!known) return undefined
  if (kind.startsWith('ecdsa')) return { hash: known, form: 'ecdsa-raw' }
  return kind.startsWith('rsa') ? { hash: known, form: padding === 'pss' ? 'pss' : 'pkcs1' } : undefined
}

/** Nodes that must be covered so that no part can be exchanged: the root, the configuration, its images and their hashes. */
export const uncoveredNodes = (fit: Fit, configuration: FitConfiguration, signature: FitSignature): string[] => {
  const covered = new Set(signature.nodes)
  const needed = ['/', configuration.node.path]
  const used = new Set(configuration.images)
  for (const { name, node } of fit.images)
    if (used.has(name)) needed.push(node.path, ...subnodes(node, 'hash').map(({ path }) => path))
  return needed.filter((path) => !covered.has(path))
}

/** The key among `keys` that signed the configuration; undefined if none did, or the algorithm is not known. */
export const fitSigner = async (
  reader: Reader,
  fit: Fit,
  signature: FitSignature,
  keys: readonly KeyObject[],
  padding: string | undefined,
): Promise<KeyObject | undefined> => {
  const form = formOf(padding === 'pss' ? `${signature.algorithm},pss` : signature.algorithm)
  if (!form) return undefined
  const ranges = signedRanges(fit.fdt, new Set(signature.nodes), signature.stringsLength)
  for (const key of keys) if (await verifyRanges({ key, ...form, signature: signature.value }, reader, ranges)) return key
  return undefined
}

export const signaturePadding = async (
  reader: Reader,
  configuration: FitConfiguration,
  signature: FitSignature,
): Promise<string | undefined> => {
  const node = configuration.node.children.find(({ name }) => name === signature.name)
  return node && textOf(reader, node, 'padding')
}

type BootKey = { name: string; offset: number; algorithm: string; required: string | null; key: KeyObject | null }

const ecCurves: Readonly<Record<string, Curve>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' }

/** The keys below `/signature` of the devicetree of U-Boot. */
export const readBootKeys = async (reader: Reader): Promise<BootKey[]> => {
  const fdt = await parseFdt(reader)
  const keys: BootKey[] = []
  const parent = findNode(fdt, '/signature')
  for (const node of parent ? limited(parent.children, 'keys', parent) : []) {
    const [modulus, exponent] = [await valueOf(reader, node, 'rsa,modulus'), await valueOf(reader, node, 'rsa,exponent')]
    const curve = ecCurves[(await textOf(reader, node, 'ecdsa,curve')) ?? '']
    const [x, y] = [await valueOf(reader, node, 'ecdsa,x-point'), await valueOf(reader, node, 'ecdsa,y-point')]
    keys.push({
      name: node.name.replace(/^key-/, ''),
      offset: node.offset,
      algorithm: (await textOf(reader, node, 'algo')) ?? '',
      required: (await textOf(reader, node, 'required')) ?? null,
      // Without a property the exponent is 65537.
      key: modulus ? rsaKey(modulus, exponent ?? Buffer.from([1, 0, 1])) : curve && x && y ? ecKey(curve, x, y) : null,
    })
  }
  return keys
}
