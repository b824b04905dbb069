/** One line of RFC 4180. A cell that a spreadsheet would run as a formula is written as text, with an apostrophe before it. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells
    .map((value) => {
      const text = String(value ?? '')
      const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
      return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
    })
    .join(',')}\r\n`
