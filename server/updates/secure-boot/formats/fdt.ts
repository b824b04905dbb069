import { FormatError, hex, type Reader } from './reader'

// Flattened devicetree, version 17: Devicetree Specification 0.4, chapter 5.
const magic = 0xd0_0d_fe_ed
const [beginNode, endNode, property, nop, end] = [1, 2, 3, 4, 9]
/** Enough for the devicetrees of all boards of Linux for arm64 (about 1,500) with a signed configuration each. */
const maxTokens = 65_536
const maxDepth = 32
const maxStringsBytes = 1_048_576
const maxNameBytes = 256
const windowBytes = 65_536

type FdtProperty = { name: string; offset: number; length: number }
export type FdtNode = { name: string; path: string; offset: number; properties: FdtProperty[]; children: FdtNode[] }
/** A token of the structure block; offsets are from the start of the file. `path` and `property` only where they apply. */
type FdtToken = { tag: number; offset: number; next: number; path: string | null; property: string | null }
export type Fdt = {
  totalSize: number
  structure: { offset: number; length: number }
  strings: { offset: number; length: number }
  root: FdtNode
  tokens: FdtToken[]
}

const aligned = (offset: number) => Math.ceil(offset / 4) * 4
const stringAt = (bytes: Buffer, at: number) => {
  const ending = bytes.indexOf(0, at)
  return ending < 0 ? null : bytes.toString('latin1', at, ending)
}

export const isFdt = async (reader: Reader, offset = 0): Promise<boolean> =>
  reader.has(offset, 4) && (await reader.bytes(offset, 4, 'The magic number')).readUInt32BE() === magic

/** The whole tree; the values of properties stay in the file. `at` is where the blob starts. */
export const parseFdt = async (reader: Reader, at = 0): Promise<Fdt> => {
  const header = await reader.bytes(at, 40, 'The devicetree header')
  const found = header.readUInt32BE(0)
  if (found !== magic) throw new FormatError('magic', `The magic number is ${hex(found, 8)}, expected ${hex(magic, 8)}`, at, 4)
  const totalSize = header.readUInt32BE(4)
  if (!reader.has(at, totalSize))
    throw new FormatError('truncated', `The header gives ${totalSize} bytes, the file has ${reader.size - at}`, at + 4, 4)
  const compatible = header.readUInt32BE(24)
  if (compatible > 17) throw new FormatError('version', `Version ${compatible} is newer than 17`, at + 24, 4)
  const block = (offset: number, length: number, name: string, field: number) => {
    if (offset < 40 || offset + length > totalSize)
      throw new FormatError('block', `The ${name} block is not inside the blob`, at + field, 4)
    return { offset: at + offset, length }
  }
  const structure = block(header.readUInt32BE(8), header.readUInt32BE(36), 'structure', 8)
  const strings = block(header.readUInt32BE(12), header.readUInt32BE(32), 'strings', 12)
  if (strings.length > maxStringsBytes) throw new FormatError('too_large', 'The strings block is too large', at + 32, 4)
  const names = await reader.bytes(strings.offset, strings.length, 'The strings block')

  const tokens: FdtToken[] = []
  const stack: FdtNode[] = []
  let root: FdtNode | undefined
  const limit = structure.offset + structure.length
  let offset = structure.offset

  // Tokens are small and follow each other: one read is for many of them.
  let window: { at: number; bytes: Buffer } = { at: 0, bytes: Buffer.alloc(0) }
  const load = async (where: number, length: number, what: string) => {
    const bytes = await reader.bytes(where, Math.max(length, Math.min(windowBytes, limit - where)), what)
    window = { at: where, bytes }
    return bytes.subarray(0, length)
  }
  const bytesAt = (where: number, length: number, what: string) => {
    const from = where - window.at
    return from >= 0 && from + length <= window.bytes.length
      ? window.bytes.subarray(from, from + length)
      : load(where, length, what)
  }
  const word = async (where: number) => {
    if (where + 4 > limit) throw new FormatError('structure', 'The structure block ends without its end token', where)
    return (await bytesAt(where, 4, 'A token')).readUInt32BE()
  }
  const begin = async () => {
    const name = stringAt(await bytesAt(offset + 4, Math.min(maxNameBytes, limit - offset - 4), 'A node name'), 0)
    const parent = stack.at(-1)
    if (name === null || name.includes('/')) throw new FormatError('structure', 'A node name has no valid form', offset + 4)
    if (!parent && (root || name !== '')) throw new FormatError('structure', 'There is not one root node', offset)
    if (stack.length >= maxDepth) throw new FormatError('structure', `Nodes are nested deeper than ${maxDepth}`, offset)
    const path = parent ? `${parent.path === '/' ? '' : parent.path}/${name}` : '/'
    const node: FdtNode = { name, path, offset, properties: [], children: [] }
    parent?.children.push(node)
    root ??= node
    stack.push(node)
    return { next: aligned(offset - structure.offset + 4 + name.length + 1) + structure.offset, path, property: null }
  }
  const readProperty = async () => {
    const [length, nameAt] = [await word(offset + 4), await word(offset + 8)]
    const name = nameAt < names.length ? stringAt(names, nameAt) : null
    const node = stack.at(-1)
    if (name === null || !node) throw new FormatError('structure', 'A property has no valid name or node', offset, 12)
    if (offset + 12 + length > limit)
      throw new FormatError('structure', `The property ${name} ends outside the block`, offset, 12)
    node.properties.push({ name, offset: offset + 12, length })
    return { next: aligned(offset - structure.offset + 12 + length) + structure.offset, path: null, property: name }
  }

  for (;;) {
    const tag = await word(offset)
    if (tokens.length >= maxTokens) throw new FormatError('structure', `There are more than ${maxTokens} tokens`, offset)
    if (tag === end) {
      tokens.push({ tag, offset, next: offset + 4, path: null, property: null })
      if (stack.length > 0) throw new FormatError('structure', 'A node is not closed', offset, 4)
      break
    }
    const path = stack.at(-1)?.path ?? null
    if (tag === endNode && !stack.pop()) throw new FormatError('structure', 'A node is closed twice', offset, 4)
    const made =
      tag === beginNode
        ? await begin()
        : tag === property
          ? await readProperty()
          : tag === endNode || tag === nop
            ? { next: offset + 4, path, property: null }
            : undefined
    if (!made) throw new FormatError('structure', `${hex(tag, 8)} is no token`, offset, 4)
    tokens.push({ tag, offset, ...made })
    offset = made.next
  }
  if (!root) throw new FormatError('structure', 'There is no root node', structure.offset)
  return { totalSize, structure, strings, root, tokens }
}

export const findNode = (fdt: Fdt, path: string): FdtNode | undefined => {
  let node: FdtNode | undefined = fdt.root
  for (const name of path.split('/').filter(Boolean)) node = node?.children.find((child) => child.name === name)
  return node
}

export const propertyOf = (node: FdtNode, name: string): FdtProperty | undefined => node.properties.find((it) => it.name === name)

const maxValueBytes = 65_536

/** The value; undefined if there is none. Larger than 64 KiB is an error. */
export const valueOf = async (reader: Reader, node: FdtNode, name: string): Promise<Buffer | undefined> => {
  const found = propertyOf(node, name)
  if (!found) return undefined
  if (found.length > maxValueBytes)
    throw new FormatError('too_large', `The property ${name} of ${node.path} has more than ${maxValueBytes} bytes`, found.offset)
  return reader.bytes(found.offset, found.length, `The property ${name}`)
}

/** A value of strings that each end with a zero byte. */
export const stringsOf = async (reader: Reader, node: FdtNode, name: string): Promise<string[]> =>
  (await valueOf(reader, node, name))?.toString('latin1').replace(/\0$/, '').split('\0') ?? []

export const textOf = async (reader: Reader, node: FdtNode, name: string): Promise<string | undefined> =>
  (await stringsOf(reader, node, name))[0]

export const cellOf = async (reader: Reader, node: FdtNode, name: string): Promise<number | undefined> => {
  const value = await valueOf(reader, node, name)
  return value && value.length >= 4 ? value.readUInt32BE() : undefined
}
