const bare = (line: string) => line.replace(/,$/, '')

/** The numbers, from 1, of the lines of a JSON text that the former text does not have. */
export const changedLines = (before: string, after: string): number[] => {
  const known = new Set(before.split('\n').map(bare))
  return after.split('\n').flatMap((line, index) => (known.has(bare(line)) ? [] : [index + 1]))
}
