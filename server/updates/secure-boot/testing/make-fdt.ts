/** Devicetrees for tests, by the Devicetree Specification 0.4, chapter 5: written apart from the code that reads them. */
export type TestNode = { name: string; properties?: [name: string, value: string | Buffer][]; children?: TestNode[] }

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
const padded = (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)])

export const makeFdt = (root: Omit<TestNode, 'name'>): Buffer => {
  const names = new Map<string, number>()
  let namesBytes = 0
  const structure: Buffer[] = []
  const nameAt = (name: string) => {
    const known = names.get(name) ?? namesBytes
    if (!names.has(name)) namesBytes += name.length + 1
    names.set(name, known)
    return known
  }
  const write = ({ name, properties = [], children = [] }: TestNode) => {
    structure.push(u32(1), padded(Buffer.from(`${name}\0`)))
    for (const [key, value] of properties) {
      const bytes = typeof value === 'string' ? Buffer.from(`${value}\0`) : value
      structure.push(u32(3), u32(bytes.length), u32(nameAt(key)), padded(bytes))
    }
    children.forEach(write)
    structure.push(u32(2))
  }
  write({ name: '', ...root })
  const body = Buffer.concat([...structure, u32(9)])
  const strings = Buffer.from([...names.keys()].map((name) => `${name}\0`).join(''))
  const [reserved, start] = [40, 56]
  const stringsAt = start + body.length
  const head = [0xd0_0d_fe_ed, stringsAt + strings.length, start, stringsAt, reserved, 17, 16, 0, strings.length, body.length]
  return Buffer.concat([...head.map(u32), Buffer.alloc(16), body, strings])
}
