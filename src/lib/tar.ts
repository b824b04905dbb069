type Entry = { path: string; mode: number; text: string }

const blockBytes = 512
const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`

/** One header of the format ustar (POSIX.1-1988). The owner is root. */
const headOf = ({ path, mode }: Entry, size: number, seconds: number): Uint8Array<ArrayBuffer> => {
  const head = new Uint8Array(blockBytes)
  const write = (text: string, offset: number) => head.set(new TextEncoder().encode(text), offset)
  write(path, 0)
  write(octal(mode, 8), 100)
  write(octal(0, 8), 108)
  write(octal(0, 8), 116)
  write(octal(size, 12), 124)
  write(octal(seconds, 12), 136)
  // The sum counts its own field as blanks.
  write(' '.repeat(8), 148)
  write('0', 156)
  write('ustar\x0000', 257)
  write('root', 265)
  write('root', 297)
  write(
    `${octal(
      head.reduce((sum, byte) => sum + byte, 0),
      7,
    )} `,
    148,
  )
  return head
}

/** A tar archive of short texts; paths have at most 100 bytes. */
export const tarOf = (entries: readonly Entry[], now: Date): Blob => {
  const seconds = Math.floor(now.getTime() / 1000)
  const blocks = entries.flatMap((entry) => {
    const bytes = new TextEncoder().encode(entry.text)
    const rest = new Uint8Array((blockBytes - (bytes.length % blockBytes)) % blockBytes)
    return [headOf(entry, bytes.length, seconds), bytes, rest]
  })
  return new Blob([...blocks, new Uint8Array(2 * blockBytes)], { type: 'application/x-tar' })
}
