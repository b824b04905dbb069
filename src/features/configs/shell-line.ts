const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

/** A command for a POSIX shell that writes a file which only its owner reads. */
export const shellLine = (fileName: string, content: string): string =>
  `(umask 077; printf '%s\\n' ${quoted(content)} > ${fileName})`
