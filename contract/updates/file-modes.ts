/** So many bytes at the start of a file show whether it is a program. */
export const modeBytes = 18

const startsWith = (head: Uint8Array, ...bytes: readonly number[]) => bytes.every((byte, n) => head[n] === byte)

/** e_type of an ELF file (System V ABI, chapter 4): 2 is a program, 3 a program or a library; 0 for other files. */
const elfType = (head: Uint8Array): number => {
  const isLittle = head[5] === 1
  return startsWith(head, 0x7f, 0x45, 0x4c, 0x46) ? ((isLittle ? head[16] : head[17]) ?? 0) : 0
}

const isLibrary = (name: string) => /\.so(\.\d+)*$/.test(name)

/** The mode that a file of a release gets unless a person sets one: programs can be run, from the first `modeBytes` of its bytes. */
export const usualMode = (name: string, head: Uint8Array): '0755' | '0644' => {
  const type = elfType(head)
  const isScript = startsWith(head, 0x23, 0x21)
  return isScript || type === 2 || (type === 3 && !isLibrary(name)) ? '0755' : '0644'
}
