import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'

export type LogFile = { write: (line: string) => void; close: () => void }

type Options = {
  /** Bytes after which the file is renamed to `<path>.1` and a new one begins. */
  rotateAt: number
  /** Formats the log line that says how many lines were lost, and why. */
  lost: (count: number, reason: string) => string
}

const openAppending = (path: string) => openSync(path, 'a', 0o600)

/** Writes all of a text or throws: a full disk may accept only a part of it. */
const writeWhole = (fd: number, text: string) => {
  const bytes = Buffer.from(text)
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done)
  return bytes.length
}

/**
 * A log that never stops the process (F-19): lines that cannot be written because the disk is full are counted and dropped, and
 * the first line that can be written again reports the count. The file is rotated during writing, so that it never fills the
 * disk.
 */
export const openLogFile = (path: string, { rotateAt, lost }: Options): LogFile => {
  let fd = openAppending(path)
  let { size } = fstatSync(fd)
  let dropped = 0
  let broken = false

  const rotate = () => {
    renameSync(path, `${path}.1`)
    // If the new file cannot be opened, writing continues in the old one under its new name.
    const fresh = openAppending(path)
    closeSync(fd)
    fd = fresh
    size = 0
  }
  const put = (text: string) => {
    try {
      // An incomplete line is ended first.
      size += writeWhole(fd, broken ? `\n${text}` : text)
      broken = false
    } catch (error) {
      const { size: now } = fstatSync(fd)
      broken ||= now > size
      size = now
      throw error
    }
  }
  const reasonOf = (error: unknown) => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
  let reason = ''

  return {
    write: (line) => {
      try {
        if (size > 0 && size + line.length > rotateAt) rotate()
      } catch (error) {
        reason = reasonOf(error)
      }
      try {
        if (dropped > 0) {
          put(lost(dropped, reason))
          dropped = 0
        }
        put(line)
      } catch (error) {
        dropped++
        reason = reasonOf(error)
      }
    },
    close: () => closeSync(fd),
  }
}
